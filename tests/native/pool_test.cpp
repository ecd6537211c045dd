// Hammers the thread pool and the memory cache from several threads; meant to run under ThreadSanitizer and
// AddressSanitizer (tools/sanitize.py).
//     g++ -std=c++20 -g -O1 -fsanitize=thread -I weft/kernels/cpp tests/native/pool_test.cpp
//     weft/kernels/cpp/base/{pool,memory}.cpp -pthread
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "base/memory.h"
#include "base/pool.h"

using namespace weft;

namespace {

#define REQUIRE(what)                                                                           \
    do {                                                                                        \
        if (!(what)) {                                                                          \
            std::fprintf(stderr, "pool_test: %s:%d: %s is false\n", __FILE__, __LINE__, #what); \
            std::abort();                                                                       \
        }                                                                                       \
    } while (0)

template <class F> void run(int64_t tasks, F&& body) {
    using Body = std::remove_reference_t<F>;
    pool_run(tasks, [](void* arg, int64_t i) { (*static_cast<Body*>(arg))(i); }, &body);
}

int rounds = 300;

// every task runs once, whatever the number of tasks and threads
void each_task_once() {
    for (int threads : {1, 2, 3, 8, 2, 5}) {
        pool_set_threads(threads);
        for (int64_t tasks : {0, 1, 2, 3, 7, 64, 1000}) {
            std::vector<int> seen(size_t(tasks), 0);
            run(tasks, [&](int64_t i) { seen[size_t(i)]++; });
            for (int n : seen) REQUIRE(n == 1);
        }
    }
}

// what a task wrote is seen by the caller, and what the caller wrote before by the tasks, without atomics
void values_are_passed() {
    pool_set_threads(4);
    std::vector<int64_t> from(512), to(512);
    for (int r = 0; r < rounds; r++) {
        std::iota(from.begin(), from.end(), r);
        run(64, [&](int64_t i) { for (int64_t k = i * 8; k < i * 8 + 8; k++) to[size_t(k)] = from[size_t(k)] * 2; });
        for (size_t k = 0; k < to.size(); k++) REQUIRE(to[k] == 2 * (int64_t(k) + r));
    }
}

// a task that calls the pool again runs its tasks itself
void nested_calls() {
    pool_set_threads(4);
    for (int r = 0; r < rounds / 10; r++) {
        std::atomic<int> count{0};
        run(8, [&](int64_t) {
            REQUIRE(pool_threads() == 1);
            run(5, [&](int64_t) { run(2, [&](int64_t) { count++; }); });
        });
        REQUIRE(count == 80);
    }
    REQUIRE(pool_threads() == 4);
}

// several callers at once, while the number of threads changes
void many_callers() {
    std::atomic<bool> stop{false};
    std::thread changer([&] {
        for (int n = 1; !stop; n = n % 6 + 1) {
            pool_set_threads(n);
            std::this_thread::yield();
        }
    });
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; c++)
        callers.emplace_back([c] {
            std::vector<int64_t> out(256);
            for (int r = 0; r < rounds; r++) {
                run(256, [&](int64_t i) { out[size_t(i)] = i * (c + 1) + r; });
                for (int64_t i = 0; i < 256; i++) REQUIRE(out[size_t(i)] == i * (c + 1) + r);
            }
        });
    for (auto& t : callers) t.join();
    stop = true;
    changer.join();
    pool_set_threads(3);
}

// workers fall asleep between jobs and wake up again
void pauses() {
    for (int r = 0; r < 20; r++) {
        std::atomic<int> count{0};
        run(16, [&](int64_t) { count++; });
        REQUIRE(count == 16);
        ::usleep(r % 3 ? 100 : 2000);
    }
}

void work_for(int64_t nanoseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
    while (std::chrono::steady_clock::now() < end) {}
}

// Two tasks that wait for each other, for a while: whether two threads ran them.
bool two_work_together() {
    std::atomic<int> there{0};
    std::atomic<bool> met{false};
    run(2, [&](int64_t) {
        there++;
        for (int k = 0; k < 20'000 && there < 2; k++) ::usleep(100);
        if (there == 2) met = true;
        else there = -2;
    });
    return met;
}

// A worker that falls asleep just when a job begins, and a job that turns out to be longer than was thought, after the
// worker has done its part and sleeps again: it was called for nothing, and nobody knew that it slept on.
void no_worker_is_forgotten() {
    pool_set_threads(2);
    int64_t length = 0;
    auto jobs = [&](int64_t i) { work_for(i ? 0 : length); };
    for (int r = 0; r < rounds * 40; r++) {
        length = 0;
        for (int k = 0; k < 4; k++) run(2, jobs);       // it is thought to be short
        work_for(28'000 + (r * 7919) % 36'000);         // the worker looks for work for 30 to 60 us
        length = 180'000;
        run(2, jobs);
        if (r % 1000 == 999) REQUIRE(two_work_together());
    }
    REQUIRE(two_work_together());
}

// blocks are the caller's alone, aligned, as large as asked for; the counts come out even
void memory_from_many_threads() {
    const MemoryStats start = memory_stats();
    std::vector<std::thread> users;
    for (int u = 0; u < 4; u++)
        users.emplace_back([u] {
            std::vector<std::pair<unsigned char*, size_t>> held;
            unsigned state = unsigned(u) * 7919 + 1;
            for (int r = 0; r < rounds * 4; r++) {
                state = state * 1664525u + 1013904223u;
                const size_t bytes = (state >> 8) % 5 == 0 ? (state >> 10) % (3u << 20) : (state >> 10) % 5000;
                auto* block = static_cast<unsigned char*>(memory_take(bytes));
                REQUIRE(block && reinterpret_cast<uintptr_t>(block) % 64 == 0 && memory_size(block) >= bytes);
                if (bytes) { block[0] = (unsigned char)(u); block[bytes - 1] = (unsigned char)(u); }
                held.push_back({block, bytes});
                if (held.size() > 20 || state % 3 == 0) {
                    const size_t at = (state >> 4) % held.size();
                    auto [old, size] = held[at];
                    if (size) REQUIRE(old[0] == (unsigned char)(u) && old[size - 1] == (unsigned char)(u));
                    memory_give(old);
                    held[at] = held.back();
                    held.pop_back();
                }
                if (r % 200 == 50) memory_empty();
                if (r % 200 == 150) memory_set_limit(int64_t(1 + u) << 20);
            }
            for (auto [block, size] : held) memory_give(block);
        });
    for (auto& t : users) t.join();
    const MemoryStats end = memory_stats();
    REQUIRE(end.in_use == start.in_use && end.cached >= 0 && end.cached <= end.limit);
    memory_set_limit(0);
    REQUIRE(memory_stats().cached == 0);
    memory_set_limit(int64_t(1) << 30);
    REQUIRE(memory_take(size_t(1) << 60) == nullptr && memory_stats().in_use == start.in_use);
    memory_give(nullptr);
}

// take inside tasks, give outside
void memory_in_tasks() {
    pool_set_threads(4);
    for (int r = 0; r < rounds / 4; r++) {
        std::vector<void*> blocks(32);
        run(32, [&](int64_t i) {
            blocks[size_t(i)] = memory_take(size_t(i) * 1000 + 1);
            std::memset(blocks[size_t(i)], int(i), size_t(i) * 1000 + 1);
        });
        for (void* b : blocks) memory_give(b);
    }
}

// a child has its own pool, also when it is born while other threads use the parent's
void forks() {
    std::atomic<bool> stop{false};
    std::thread busy([&] { while (!stop) { run(8, [](int64_t) { memory_give(memory_take(3000)); }); } });
    for (int r = 0; r < 5; r++) {
        std::fflush(nullptr);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            std::atomic<int> count{0};
            for (int k = 0; k < 10; k++) run(16, [&](int64_t) { memory_give(memory_take(5000)); count++; });
            ::_exit(count == 160 ? 0 : 1);
        }
        int status = 1;
        ::waitpid(child, &status, 0);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    stop = true;
    busy.join();
    std::atomic<int> count{0};
    run(16, [&](int64_t) { count++; });
    REQUIRE(count == 16);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) rounds = std::atoi(argv[1]);
    const bool with_forks = argc < 3 || std::strcmp(argv[2], "no-fork") != 0;
    pool_start();
    memory_start();
    struct {
        const char* name;
        void (*run)();
    } parts[] = {{"no worker is forgotten", no_worker_is_forgotten},      // the first: while there is only one
                 {"each task once", each_task_once},
                 {"values are passed", values_are_passed},
                 {"nested calls", nested_calls},
                 {"many callers", many_callers},
                 {"pauses", pauses},
                 {"memory from many threads", memory_from_many_threads},
                 {"memory in tasks", memory_in_tasks},
                 {"forks", forks}};
    for (auto& part : parts) {
        if (part.run == forks && !with_forks) { std::printf("skipped  forks\n"); continue; }
        part.run();
        std::printf("passed   %s\n", part.name);
    }
    memory_empty();
    return 0;
}
