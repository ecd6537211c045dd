"""The plain twin of `segment.pyx`, which says what this is about: without kernels there is nothing to run so."""
KERNEL, ONE, TWO, VIEWED, STRIDED, PACKED, TUPLED, ONE_INTO, TWO_INTO = range(9)
MOST, Segment = 32, None
