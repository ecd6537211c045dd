// A cache of aligned memory blocks: fresh pages from the system cost more than the arithmetic done on them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weft {

struct MemoryStats { int64_t in_use, cached, peak, limit, requests, hits; };    // bytes (the last two: counts)

void* memory_take(size_t bytes);        // 64-byte aligned, in huge pages from 256 KB on; null when there is none
void memory_give(void* block);
size_t memory_size(void* block);        // bytes that the block can hold
void memory_open(void* block);          // all that it can hold may be used (only AddressSanitizer cares)
void memory_empty();                    // give all cached blocks back to the system
void memory_set_limit(int64_t bytes);   // how much the cache may hold at most
MemoryStats memory_stats();
void memory_reset_peak();
void memory_start();

}  // namespace weft
