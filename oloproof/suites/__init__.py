"""The user's files, read into located specs: the suite, the policy, datasets and labels."""
