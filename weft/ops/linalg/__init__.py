"""Products and factorizations of matrices."""
