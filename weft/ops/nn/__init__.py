"""What layers and losses are made of."""
