"""Tallies of verdicts, confidence intervals for pass rates, and how many cases would settle one."""
