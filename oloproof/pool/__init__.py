"""Worker processes: a pool, deadlines, and framing on descriptors of its own. Knows no cases."""
