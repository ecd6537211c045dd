#include "memory.h"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "arena.h"
#include "closed.h"

namespace weft {
namespace {

constexpr size_t HEADER = 64;                   // before every block: its class, so that a block knows its own size
constexpr size_t LARGE = size_t(256) << 10;     // blocks from here on are pieces of the arena
constexpr int STEPS = 8, CLASSES = 64 * STEPS;  // eight sizes for each power of two: at most an eighth is wasted

struct Header { int size_class; };              // as a Piece begins
static_assert(HEADER == HEAD);

struct SizeClass { std::vector<void*> blocks; uint64_t used = 0; };     // used: when a block was last taken or given

struct Memory {
    std::mutex lock;
    SizeClass classes[CLASSES];     // blocks below LARGE
    Arena arena;                    // and the others
    MemoryStats stats{0, 0, 0, int64_t(1) << 30, 0, 0};
    int64_t small = 0;              // cached bytes of the classes
    uint64_t clock = 0;
    int64_t cached() const { return small + arena.warm; }
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

void* from_system(int c) {
    char* raw = static_cast<char*>(std::aligned_alloc(64, (size_of_class(c) + HEADER + 63) / 64 * 64));
    if (!raw) return nullptr;
    *header_of(raw + HEADER) = {c};
    return raw + HEADER;
}

void to_system(void* block) {
    OPEN(block, size_of_class(header_of(block)->size_class));
    std::free(header_of(block));
}

void* opened(void* block, [[maybe_unused]] size_t room, [[maybe_unused]] size_t bytes) {
    CLOSE(block, room);
    OPEN(block, bytes);
    return block;
}

void count(int64_t bytes) {     // with the lock held
    memory.stats.in_use += bytes;
    memory.stats.peak = std::max(memory.stats.peak, memory.stats.in_use);
}

// Make room in the cache for `bytes` more, from what was not asked for longest; called with the lock held.
void evict(int64_t bytes, std::vector<void*>& dropped) {
    while (memory.cached() + bytes > memory.stats.limit) {
        SizeClass* oldest = nullptr;
        for (auto& c : memory.classes)
            if (!c.blocks.empty() && (!oldest || c.used < oldest->used)) oldest = &c;
        Piece* piece = memory.arena.oldest();
        if (!oldest && !piece) return;
        if (piece && (!oldest || piece->since < oldest->used)) {
            memory.arena.cool(piece, size_t(memory.cached() + bytes - memory.stats.limit));
            continue;
        }
        dropped.push_back(oldest->blocks.back());
        oldest->blocks.pop_back();
        memory.small -= int64_t(size_of_class(int(oldest - memory.classes)));
    }
}

void* take_large(size_t bytes) {
    std::lock_guard<std::mutex> hold(memory.lock);
    bool cached = false;
    void* block = memory.arena.take(bytes, cached);
    if (!block) return nullptr;
    memory.stats.requests++;
    memory.stats.hits += cached;
    const size_t room = Arena::room(Arena::piece_of(block));
    count(int64_t(room));
    return opened(block, room, bytes);
}

void give_large(void* block) {
    std::vector<void*> dropped;
    {
        std::lock_guard<std::mutex> hold(memory.lock);
        const size_t room = Arena::room(Arena::piece_of(block));
        CLOSE(block, room);
        memory.stats.in_use -= int64_t(room);
        memory.arena.give(block, ++memory.clock, int64_t(room) <= memory.stats.limit / 2);
        try {
            evict(0, dropped);
        } catch (const std::bad_alloc&) {}      // it stays above its limit until the next time
    }
    for (void* d : dropped) to_system(d);
}

}  // namespace

void* memory_take(size_t bytes) {
    if (bytes > (size_t(1) << 46)) return nullptr;
    if (bytes >= LARGE) {
        void* block = take_large(bytes);
        if (block) return block;
        memory_empty();
        return take_large(bytes);
    }
    const int c = class_of(bytes);
    const size_t size = size_of_class(c);
    {
        std::lock_guard<std::mutex> hold(memory.lock);
        SizeClass& found = memory.classes[c];
        found.used = ++memory.clock;
        memory.stats.requests++;
        count(int64_t(size));
        if (!found.blocks.empty()) {
            void* block = found.blocks.back();
            found.blocks.pop_back();
            memory.small -= int64_t(size);
            memory.stats.hits++;
            return opened(block, size, bytes);
        }
    }
    void* block = from_system(c);
    if (!block) {
        memory_empty();
        block = from_system(c);
    }
    if (!block) {
        std::lock_guard<std::mutex> hold(memory.lock);
        memory.stats.in_use -= int64_t(size);
        return nullptr;
    }
    return opened(block, size, bytes);
}

void memory_give(void* block) {
    if (!block) return;
    const int c = header_of(block)->size_class;
    if (c == ARENA) return give_large(block);
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
            memory.small += size;
        }
    } catch (const std::bad_alloc&) {
        dropped.push_back(block);
    }
    for (void* d : dropped) to_system(d);
}

void memory_open([[maybe_unused]] void* block) { OPEN(block, memory_size(block)); }

size_t memory_size(void* block) {
    const int c = header_of(block)->size_class;
    return c == ARENA ? Arena::room(Arena::piece_of(block)) : size_of_class(c);
}

void memory_empty() {
    std::vector<void*> dropped;
    {
        std::lock_guard<std::mutex> hold(memory.lock);
        for (auto& c : memory.classes) {
            dropped.insert(dropped.end(), c.blocks.begin(), c.blocks.end());
            c.blocks.clear();
            c.blocks.shrink_to_fit();
        }
        memory.small = 0;
        while (Piece* piece = memory.arena.oldest()) memory.arena.cool(piece, piece->warm);
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
    MemoryStats found = memory.stats;
    found.cached = memory.cached();
    return found;
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
