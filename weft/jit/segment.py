"""The plain twin of `segment.pyx`, which says what this is about: without kernels there is nothing to run so."""
KERNEL, ONE, TWO, VIEWED, STRIDED, PACKED, TUPLED = range(7)
MOST, Segment = 32, None
