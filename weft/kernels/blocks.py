"""How much memory the cache gives out for an array."""
LARGE = 256 * 1024      # from here on blocks are cut to size, in units of 64 bytes (cpp/base/arena.cpp)


def block_bytes(bytes):
    """The bytes of a block for so many: of small ones there are eight sizes for each power of two."""
    if bytes >= LARGE:
        return -(-bytes // 64) * 64
    if not bytes:
        return 0
    least = max(bytes, 64) - 1
    eighth = least.bit_length() - 4
    return ((least >> eighth) + 1) << eighth
