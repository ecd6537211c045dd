"""States that several ranks save together, and that any number of ranks loads."""
