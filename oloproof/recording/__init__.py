"""The session behind `@tool` and `@model`: what an agent did, recorded and replayed."""
