"""What the commands do, as functions: init, run, replay, gate, inspect, runs, pairs."""
