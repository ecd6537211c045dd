"""Sums, extremes, statistics, sorting, counting."""
