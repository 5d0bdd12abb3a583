"""One evaluator a file; its name in a suite is the name of its module."""
