"""Numbers of bytes as text: one unit everywhere, the profiler's, as PyTorch's is (1 KB is 1024 bytes)."""

SIZES = (("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10))


def bytes_text(n):
    """`7.07 KB`."""
    for unit, size in SIZES:
        if abs(n) >= size:
            return f"{n / size:.2f} {unit}"
    return f"{n:.0f} B"
