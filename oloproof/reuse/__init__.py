"""What decides whether something known may be used again: one fingerprint, every key."""
