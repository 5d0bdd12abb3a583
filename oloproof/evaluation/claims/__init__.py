"""What a message says was done: declared patterns, read by clause and by the scope of negation."""
