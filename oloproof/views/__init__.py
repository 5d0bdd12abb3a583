"""What is read of stored runs: rows, reports and the panels of cases."""
