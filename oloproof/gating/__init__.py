"""From tallies and a policy to decisions, and from decisions to a gate."""
