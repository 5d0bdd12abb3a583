"""Replays of a recorded case: the control, the faulted ones, and what may be trusted of them."""
