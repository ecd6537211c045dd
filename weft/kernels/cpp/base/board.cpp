#include "board.h"
#include "pause.h"

#include <chrono>
#include <climits>
#include <ctime>
#include <thread>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace weft {
namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point start) {
    return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

// the count may go round
bool there(const BoardLine& line, uint32_t count) {
    return int32_t(__atomic_load_n(&line.count, __ATOMIC_SEQ_CST) - count) >= 0;
}

void sleep_on(BoardLine& line, uint32_t seen, double microseconds) {
#if defined(__linux__)
    timespec most{time_t(microseconds / 1e6), long(microseconds * 1e3) % 1000000000L};
    syscall(SYS_futex, &line.count, FUTEX_WAIT, seen, &most, nullptr, 0);
#else
    (void)line, (void)seen, (void)microseconds;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
#endif
}

}  // namespace

void board_arrive(BoardLine* own, uint32_t count, uint32_t code) {
    __atomic_store_n(&own->codes[count % BOARD_CALLS], code, __ATOMIC_RELAXED);
    __atomic_store_n(&own->count, count, __ATOMIC_SEQ_CST);
#if defined(__linux__)
    if (__atomic_load_n(&own->sleepers, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &own->count, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
#endif
}

bool board_wait(BoardLine* lines, int n, uint32_t count, double spin, double sleep) {
    const auto start = clock::now();
    for (int i = 0; i < n; i++) {
        BoardLine& line = lines[i];
        for (int turns = 0; !there(line, count); turns++) {
            const double waited = since(start);
            if (waited >= spin + sleep) return false;
            if (waited < spin) {
                for (int j = 0; j < 32 && !there(line, count); j++) pause();
                continue;
            }
            __atomic_fetch_add(&line.sleepers, 1, __ATOMIC_SEQ_CST);
            const uint32_t seen = __atomic_load_n(&line.count, __ATOMIC_SEQ_CST);
            if (int32_t(seen - count) < 0) sleep_on(line, seen, spin + sleep - waited);
            __atomic_fetch_sub(&line.sleepers, 1, __ATOMIC_SEQ_CST);
        }
    }
    return true;
}

int board_same(const BoardLine* lines, int n, uint32_t count) {
    const uint32_t first = __atomic_load_n(&lines[0].codes[count % BOARD_CALLS], __ATOMIC_RELAXED);
    uint32_t other = 0;
    for (int i = 1; i < n; i++)
        other |= first ^ __atomic_load_n(&lines[i].codes[count % BOARD_CALLS], __ATOMIC_RELAXED);
    return other == 0 ? 2 : other == 1;
}

}  // namespace weft
