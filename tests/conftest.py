"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A loaded machine is no failure: no test of ours asserts a time.
settings.register_profile("oloproof", deadline=None)
settings.load_profile("oloproof")
