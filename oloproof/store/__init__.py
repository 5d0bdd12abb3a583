"""The store: content-addressed objects, results under their keys, runs, and their integrity."""
