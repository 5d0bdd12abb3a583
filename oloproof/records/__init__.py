"""Frozen records of what happened and what was said: plain data, no input or output."""
