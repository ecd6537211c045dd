// Where processes of one machine wait for each other: a line of shared memory for each, in which it counts its calls.
#pragma once

#include <cstdint>

namespace weft {

constexpr int BOARD_CALLS = 4096;       // whose codes a line remembers

struct alignas(64) BoardLine {
    uint32_t count;                     // calls so far; the system wakes those who wait for it to change
    uint32_t sleepers;
    alignas(64) uint32_t codes[BOARD_CALLS];
};

void board_arrive(BoardLine* own, uint32_t count, uint32_t code);
// whether all n processes have come so far, waiting for some microseconds, spinning and then asleep
bool board_wait(BoardLine* lines, int n, uint32_t count, double spin, double sleep);
// of the codes that all gave for that call: 2 they are the same, 1 they differ in the last bit only, 0 otherwise
int board_same(const BoardLine* lines, int n, uint32_t count);

}  // namespace weft
