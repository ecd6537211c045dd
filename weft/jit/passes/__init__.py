"""What makes a recorded path cheaper without changing what it gives; each file is one pass."""
