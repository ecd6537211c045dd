#include "memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

// Under AddressSanitizer a block is closed while it is cached, and beyond what was asked for: a kernel that reads or
// writes there is caught.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define OPEN(block, bytes) ASAN_UNPOISON_MEMORY_REGION(block, bytes)
#define CLOSE(block, bytes) ASAN_POISON_MEMORY_REGION(block, bytes)
#else
#define OPEN(block, bytes) static_cast<void>(0)
#define CLOSE(block, bytes) static_cast<void>(0)
#endif

namespace weft {
namespace {

constexpr size_t HEADER = 64;                   // before every block: its class, so that a block knows its own size
constexpr size_t HUGE = size_t(2) << 20;        // the size of a huge page
constexpr size_t LARGE = size_t(1) << 20;       // blocks from here on are mappings of their own
constexpr int STEPS = 8, CLASSES = 64 * STEPS;  // eight sizes for each power of two: at most an eighth is wasted

// mapped: bytes of a mapping of its own, 0 for a block of the C library
struct Header { int size_class; void* raw; size_t mapped; };

struct SizeClass { std::vector<void*> blocks; uint64_t used = 0; };     // used: when a block was last taken or given

struct Memory {
    std::mutex lock;
    SizeClass classes[CLASSES];
    MemoryStats stats{0, 0, 0, int64_t(1) << 30, 0, 0};
    uint64_t clock = 0;
};
Memory& memory = *new Memory;       // never deleted: arrays may be freed after static destructors ran

int class_of(size_t bytes) {
    bytes = std::max<size_t>(bytes, 64) - 1;
    const int power = 63 - std::countl_zero(uint64_t(bytes));
    return power * STEPS + int((bytes >> (power - 3)) & (STEPS - 1));
}

size_t size_of_class(int c) {
    const int power = c / STEPS;
    return (size_t(STEPS) + size_t(c % STEPS) + 1) << (power - 3);
}

Header* header_of(void* block) { return reinterpret_cast<Header*>(static_cast<char*>(block) - HEADER); }

// Large blocks are mappings of their own, so that what is given back is gone: the C library would keep and split it.
void* mapped_block(int c, size_t bytes) {
    const bool huge = bytes >= 2 * HUGE;
    const size_t unit = huge ? HUGE : 4096, whole = (bytes + HEADER + unit - 1) / unit * unit, spare = huge ? HUGE : 0;
    char* start =
        static_cast<char*>(mmap(nullptr, whole + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (start == MAP_FAILED) return nullptr;
    char* raw = spare ? reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(start) + HUGE - 1) / HUGE * HUGE) : start;
    if (raw > start) munmap(start, size_t(raw - start));
    if (const size_t behind = size_t(start + whole + spare - (raw + whole))) munmap(raw + whole, behind);
    // a tail of less than a huge page stays in small ones
    if (huge) madvise(raw, (bytes + HEADER) / HUGE * HUGE, MADV_HUGEPAGE);
    *header_of(raw + HEADER) = {c, raw, whole};
    return raw + HEADER;
}

void* from_system(int c) {
    const size_t bytes = size_of_class(c);
    if (bytes >= LARGE) return mapped_block(c, bytes);
    char* raw = static_cast<char*>(std::aligned_alloc(64, (bytes + HEADER + 63) / 64 * 64));
    if (!raw) return nullptr;
    *header_of(raw + HEADER) = {c, raw, 0};
    return raw + HEADER;
}

void to_system(void* block) {
    const Header header = *header_of(block);
    OPEN(block, size_of_class(header.size_class));
    if (header.mapped) munmap(header.raw, header.mapped);
    else std::free(header.raw);
}

void* opened(void* block, [[maybe_unused]] int c, [[maybe_unused]] size_t bytes) {
    CLOSE(block, size_of_class(c));
    OPEN(block, bytes);
    return block;
}

// Make room in the cache for `bytes` more, from the sizes that were not asked for longest; called with the lock held.
void evict(int64_t bytes, std::vector<void*>& dropped) {
    while (memory.stats.cached + bytes > memory.stats.limit) {
        SizeClass* oldest = nullptr;
        for (auto& c : memory.classes)
            if (!c.blocks.empty() && (!oldest || c.used < oldest->used)) oldest = &c;
        if (!oldest) return;
        dropped.push_back(oldest->blocks.back());
        oldest->blocks.pop_back();
        memory.stats.cached -= int64_t(size_of_class(int(oldest - memory.classes)));
    }
}

}  // namespace

void* memory_take(size_t bytes) {
    if (bytes > (size_t(1) << 46)) return nullptr;
    const int c = class_of(bytes);
    const int64_t size = int64_t(size_of_class(c));
    {
        std::lock_guard<std::mutex> hold(memory.lock);
        SizeClass& found = memory.classes[c];
        found.used = ++memory.clock;
        memory.stats.requests++;
        memory.stats.in_use += size;
        memory.stats.peak = std::max(memory.stats.peak, memory.stats.in_use);
        if (!found.blocks.empty()) {
            void* block = found.blocks.back();
            found.blocks.pop_back();
            memory.stats.cached -= size;
            memory.stats.hits++;
            return opened(block, c, bytes);
        }
    }
    void* block = from_system(c);
    if (!block) {
        memory_empty();
        block = from_system(c);
    }
    if (!block) {
        std::lock_guard<std::mutex> hold(memory.lock);
        memory.stats.in_use -= size;
        return nullptr;
    }
    return opened(block, c, bytes);
}

void memory_give(void* block) {
    if (!block) return;
    const int c = header_of(block)->size_class;
    const int64_t size = int64_t(size_of_class(c));
    CLOSE(block, size_t(size));
    std::vector<void*> dropped;
    try {
        std::lock_guard<std::mutex> hold(memory.lock);
        memory.stats.in_use -= size;
        if (size > memory.stats.limit / 2) {
            dropped.push_back(block);
        } else {
            evict(size, dropped);
            memory.classes[c].blocks.push_back(block);
            memory.classes[c].used = ++memory.clock;
            memory.stats.cached += size;
        }
    } catch (const std::bad_alloc&) {
        dropped.push_back(block);
    }
    for (void* d : dropped) to_system(d);
}

void memory_open([[maybe_unused]] void* block) { OPEN(block, memory_size(block)); }

size_t memory_size(void* block) { return size_of_class(header_of(block)->size_class); }

void memory_empty() {
    std::vector<void*> dropped;
    {
        std::lock_guard<std::mutex> hold(memory.lock);
        for (auto& c : memory.classes) {
            dropped.insert(dropped.end(), c.blocks.begin(), c.blocks.end());
            c.blocks.clear();
            c.blocks.shrink_to_fit();
        }
        memory.stats.cached = 0;
    }
    for (void* d : dropped) to_system(d);
}

void memory_set_limit(int64_t bytes) {
    std::vector<void*> dropped;
    {
        std::lock_guard<std::mutex> hold(memory.lock);
        memory.stats.limit = std::max<int64_t>(bytes, 0);
        evict(0, dropped);
    }
    for (void* d : dropped) to_system(d);
}

MemoryStats memory_stats() {
    std::lock_guard<std::mutex> hold(memory.lock);
    return memory.stats;
}

void memory_reset_peak() {
    std::lock_guard<std::mutex> hold(memory.lock);
    memory.stats.peak = memory.stats.in_use;
}

void memory_start() {
    static std::once_flag once;
    std::call_once(once, [] {
        // a fork while another thread holds the lock would leave it held in the child forever
        pthread_atfork([] { memory.lock.lock(); }, [] { memory.lock.unlock(); }, [] { memory.lock.unlock(); });
    });
}

}  // namespace weft
