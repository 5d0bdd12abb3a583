"""The word lists, one file for each language."""
