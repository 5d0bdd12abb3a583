"""Conditions on states, written as text, parsed and never run as code."""
