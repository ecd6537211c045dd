"""The plain twin of `segment.pyx`, which says what this is about: without kernels there is nothing to run so."""
KERNEL, ONE, TWO, VIEWED, STRIDED, PACKED, TUPLED, ONE_INTO, TWO_INTO, COPIED = range(10)
MOST, Segment, Block, lowest_places = 32, None, None, None
