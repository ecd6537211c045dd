"""The twin of rng.pyx in plain Python: it has no engine, so the NumPy one of core/random.py draws."""

Engine = None
