#include "arena.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>

#include "closed.h"

namespace weft {

struct Region {
    char* start;
    size_t reserved, open, top;     // bytes: of addresses, of them usable, of them cut into pieces so far
    Piece* last;                    // the piece below the top
};

namespace {

constexpr size_t PAGE = 4096, HUGE = size_t(2) << 20;
constexpr size_t RESERVED = size_t(64) << 30;   // addresses only: they cost nothing until they are used
constexpr size_t MODEST = size_t(256) << 20;    // where the program may have few addresses (ulimit -v)
constexpr size_t OPENED = size_t(32) << 20;     // usable at a time
constexpr int REGIONS = 256, LOOKS = 64;        // LOOKS: pieces of a list that are compared

Region regions[REGIONS];
int region_count = 0;

size_t rounded(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }
uintptr_t at(const void* p) { return reinterpret_cast<uintptr_t>(p); }
char* end_of(Piece* piece) { return reinterpret_cast<char*>(piece) + piece->bytes; }

Piece* above(Piece* piece) {
    char* next = end_of(piece);
    return next == piece->region->start + piece->region->top ? nullptr : reinterpret_cast<Piece*>(next);
}

void give_pages(char* from, char* to) {
    char* first = reinterpret_cast<char*>(rounded(at(from), PAGE));
    char* end = reinterpret_cast<char*>(at(to) / PAGE * PAGE);
    if (end > first) madvise(first, size_t(end - first), MADV_DONTNEED);
}

// A new stretch of addresses with room for `whole` bytes.
Region* reserve(size_t whole) {
    if (region_count == REGIONS) return nullptr;
    rlimit addresses{};
    const bool plenty = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur == RLIM_INFINITY;
    const size_t least = rounded(whole, OPENED);
    for (size_t wanted = std::max(least, plenty ? RESERVED : MODEST);; wanted = std::max(least, wanted / 4)) {
        void* start = mmap(nullptr, wanted + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start != MAP_FAILED) {
            char* aligned = reinterpret_cast<char*>(rounded(at(start), HUGE));
            madvise(aligned, wanted, MADV_HUGEPAGE);
            regions[region_count] = {aligned, wanted, 0, 0, nullptr};
            return &regions[region_count++];
        }
        if (wanted == least) return nullptr;
    }
}

// Room for `more` bytes above the top can be used.
bool opens(Region& region, size_t more) {
    const size_t need = region.top + more;
    if (need <= region.open) return true;
    const size_t until = std::min(region.reserved, rounded(need, OPENED));
    if (need > until || mprotect(region.start, until, PROT_READ | PROT_WRITE) != 0) return false;
    region.open = until;
    return true;
}

}  // namespace

int Arena::bin_of(size_t bytes) {
    const int power = 63 - std::countl_zero(uint64_t(bytes));
    return power * 8 + int((bytes >> (power - 3)) & 7);
}

void Arena::link(Piece* piece) {
    const int bin = bin_of(piece->bytes);
    piece->free = 1;
    piece->prior = nullptr;
    piece->next = bins[bin];
    if (piece->next) piece->next->prior = piece;
    bins[bin] = piece;
    filled[bin / 64] |= uint64_t(1) << (bin % 64);
    warm += int64_t(piece->warm);
}

void Arena::unlink(Piece* piece) {
    const int bin = bin_of(piece->bytes);
    if (piece->next) piece->next->prior = piece->prior;
    if (piece->prior) piece->prior->next = piece->next;
    else if (!(bins[bin] = piece->next)) filled[bin / 64] &= ~(uint64_t(1) << (bin % 64));
    piece->free = 0;
    warm -= int64_t(piece->warm);
}

// The smallest one with room, of equal ones the lowest: what is free stays together.
Piece* Arena::best_in(int bin, size_t whole) const {
    Piece* best = nullptr;
    int looks = LOOKS;
    for (Piece* p = bins[bin]; p && (looks-- > 0 || !best); p = p->next)
        if (p->bytes >= whole && (!best || p->bytes < best->bytes || (p->bytes == best->bytes && p < best))) best = p;
    return best;
}

Piece* Arena::fitting(size_t whole) const {
    const int first = bin_of(whole);
    if (Piece* found = best_in(first, whole)) return found;     // only here some are too small
    for (int word = (first + 1) / 64; word < BINS / 64; word++) {
        uint64_t bits = filled[word];
        if (word == (first + 1) / 64) bits &= ~uint64_t(0) << ((first + 1) % 64);
        if (bits) return best_in(word * 64 + std::countr_zero(bits), whole);
    }
    return nullptr;
}

// A piece of new memory, or of what is free below the top and some more.
Piece* Arena::grown(size_t whole) {
    for (int i = 0; i <= region_count; i++) {
        Region* region = i < region_count ? &regions[i] : reserve(whole);
        if (!region) return nullptr;
        Piece* last = region->last && region->last->free ? region->last : nullptr;
        const size_t more = last ? whole - last->bytes : whole;
        if (!opens(*region, more)) {
            if (i == region_count - 1 && region->top == 0) return nullptr;      // a new one didn't do either
            continue;
        }
        Piece* piece = last ? last : reinterpret_cast<Piece*>(region->start + region->top);
        if (last) unlink(last);
        OPEN(piece, HEAD);
        if (!last) *piece = {ARENA, 0, 0, region->last, region, nullptr, nullptr, 0, 0};
        piece->bytes += more;
        region->top += more;
        region->last = piece;
        return piece;
    }
    return nullptr;
}

// Leave `whole` bytes of a piece that is taken; the rest is free.
void Arena::cut(Piece* piece, size_t whole) {
    const size_t rest = piece->bytes - whole;
    if (!rest) return;                              // sizes are multiples of 64: there is room for a head
    Piece* high = reinterpret_cast<Piece*>(reinterpret_cast<char*>(piece) + whole);
    Piece* next = above(piece);
    OPEN(high, HEAD);
    const size_t left = piece->warm > whole ? piece->warm - whole : 0;
    *high = {ARENA, 0, rest, piece, piece->region, nullptr, nullptr, left, piece->since};
    piece->bytes = whole;
    if (next) next->before = high;
    else piece->region->last = high;
    link(high);
}

// Both unlinked; `high` is right above `low`.
void Arena::join(Piece* low, Piece* high) {
    Piece* next = above(high);
    if (high->warm) low->warm = low->bytes + high->warm;
    low->bytes += high->bytes;
    low->since = std::max(low->since, high->since);
    if (next) next->before = low;
    else low->region->last = low;
    CLOSE(high, HEAD);
}

void* Arena::take(size_t bytes, bool& cached) {
    const size_t whole = rounded(bytes + HEAD, 64);
    Piece* piece = fitting(whole);
    if (piece) unlink(piece);
    else if (!(piece = grown(whole))) return nullptr;
    cached = piece->warm > 0;
    cut(piece, whole);
    return reinterpret_cast<char*>(piece) + HEAD;
}

void Arena::give(void* block, uint64_t now, bool keeps) {
    Piece* piece = piece_of(block);
    if (!keeps) give_pages(reinterpret_cast<char*>(piece) + HEAD, end_of(piece));
    piece->warm = keeps ? piece->bytes : 0;
    piece->since = now;
    if (Piece* high = above(piece); high && high->free) {
        unlink(high);
        join(piece, high);
    }
    if (Piece* low = piece->before; low && low->free) {
        unlink(low);
        join(low, piece);
        piece = low;
    }
    link(piece);
}

Piece* Arena::oldest() const {
    Piece* found = nullptr;
    for (Piece* first : bins)
        for (Piece* p = first; p; p = p->next)
            if (p->warm && (!found || p->since < found->since)) found = p;
    return found;
}

void Arena::cool(Piece* piece, size_t bytes) {
    unlink(piece);
    char* start = reinterpret_cast<char*>(piece);
    bytes = rounded(bytes, HUGE);
    const size_t left = piece->warm > bytes + HUGE ? piece->warm - bytes : 0;
    give_pages(start + std::max(left, HEAD), end_of(piece));
    piece->warm = left;
    Region& region = *piece->region;
    if (left || piece != region.last) return link(piece);
    region.last = piece->before;                        // the top comes down
    region.top = size_t(start - region.start);
    give_pages(start, start + PAGE);
}

}  // namespace weft
