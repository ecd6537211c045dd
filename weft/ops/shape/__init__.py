"""Views, and tensors cut up, joined, turned over and repeated."""
