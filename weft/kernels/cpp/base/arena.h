// Large blocks: pieces of reserved stretches of addresses, cut to size and joined again when they are given back. One
// size's memory so serves every other, and a program's peak is near what it holds at a time.
//
// Nothing here locks: memory.cpp does.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weft {

struct Region;

// Before every piece, as Header in memory.cpp is before every small block.
struct Piece {
    int32_t size_class;     // ARENA: not one of the small ones
    int32_t free;
    size_t bytes;           // with this head
    Piece* before;          // its neighbour below, null for a region's first
    Region* region;
    Piece *next, *prior;    // of a free one: others of its list
    size_t warm;            // of a free one: its first so many bytes may still have pages, those behind them have none
    uint64_t since;         // of a free one: when it was given back
};
constexpr size_t HEAD = 64;
constexpr int32_t ARENA = -1;
static_assert(sizeof(Piece) <= HEAD);

struct Arena {
    int64_t warm = 0;                                   // bytes of free pieces that may have pages

    void* take(size_t bytes, bool& cached);             // null when there is none; cached: not all of it is new memory
    void give(void* block, uint64_t now, bool keeps);   // keeps: its pages, too
    Piece* oldest() const;                              // of the free ones with pages, the one given back first
    void cool(Piece* piece, size_t bytes);              // at least so many bytes of its pages go back to the system
    static Piece* piece_of(void* block) { return reinterpret_cast<Piece*>(static_cast<char*>(block) - HEAD); }
    static size_t room(const Piece* piece) { return piece->bytes - HEAD; }

private:
    static constexpr int BINS = 512;                    // eight for each power of two
    Piece* bins[BINS] = {};
    uint64_t filled[BINS / 64] = {};                    // a bit for each bin that has a piece

    static int bin_of(size_t bytes);
    Piece* fitting(size_t whole) const;
    Piece* best_in(int bin, size_t whole) const;
    Piece* grown(size_t whole);
    void link(Piece* piece);
    void unlink(Piece* piece);
    void cut(Piece* piece, size_t whole);
    void join(Piece* low, Piece* high);
};

}  // namespace weft
