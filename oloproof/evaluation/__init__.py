"""How verdicts come about: the evaluator contract, the registry, judging and state comparison."""
