// The board and the pulse under the sanitizers: threads stand for processes. Run by tools/sanitize.py.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/board.h"
#include "base/pulse.h"

using namespace weft;

namespace {

void need(bool right, const char* what) {
    if (right) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    std::_Exit(1);
}

constexpr int RANKS = 3, WORDS = 64;

// every rank writes its slot of this turn, comes, waits, and adds all of them up
void rank_main(BoardLine* lines, int (*slots)[RANKS][WORDS], int own, int calls) {
    int turn = 0;
    for (int call = 1; call <= calls; call++) {
        const uint32_t count = uint32_t(call) + 0xfffffff0u;        // goes round
        for (int i = 0; i < WORDS; i++) slots[turn][own][i] = call * (own + 1) + i;
        const bool differs = call % 7 == 0 && own == 1, mixed = call % 5 == 0 && own == 2;
        board_arrive(lines + own, count, uint32_t(call) * 4 + (differs ? 2 : 0) + (mixed ? 1 : 0));
        while (!board_wait(lines, RANKS, count, own ? 5 : 0, 200)) {}
        need(board_same(lines, RANKS, count) == (call % 7 == 0 ? 0 : call % 5 == 0 ? 1 : 2), "codes");
        for (int i = 0; i < WORDS; i++) {
            int sum = 0;
            for (int other = 0; other < RANKS; other++) sum += slots[turn][other][i];
            need(sum == call * 6 + RANKS * i, "sum");
        }
        turn = 1 - turn;
    }
}

void boards(int calls) {
    std::vector<BoardLine> lines(RANKS);
    for (BoardLine& line : lines) {
        std::memset(&line, 0, sizeof line);
        line.count = 0xfffffff0u;
    }
    static int slots[2][RANKS][WORDS];
    std::vector<std::thread> ranks;
    for (int own = 0; own < RANKS; own++) ranks.emplace_back(rank_main, lines.data(), slots, own, calls);
    for (std::thread& rank : ranks) rank.join();
    need(!board_wait(lines.data(), RANKS, uint32_t(calls) + 0xfffffff1u, 10, 500), "nobody comes");
}

void pulses(int times) {
    for (int i = 0; i < times; i++) {
        int ends[2];
        need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "sockets");
        PulseSettings settings;
        settings.link = ends[0];
        settings.tick = 0.001;
        settings.grace = 0;
        need(pulse_start(settings), "a thread");
        char bytes[64];
        need(read(ends[1], bytes, sizeof bytes) > 0 && std::string(bytes, 8) == "cmd=beat", "a beat");
        pulse_stop();
        const char news[] = "cmd=silent rank=1 seconds=6\n";
        need(write(ends[1], news, sizeof news - 1) > 0, "news");        // which doesn't end what was stopped
        std::this_thread::sleep_for(std::chrono::milliseconds(5));      // both ends stay open: its thread ends by itself
    }
}

}  // namespace

int main(int, char** arguments) {
    const int times = std::atoi(arguments[1]);
    boards(times * 20);
    pulses(times / 30);
    std::puts("all right");
}
