#include "pool.h"
#include "pause.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace weft {
namespace {

// Nanoseconds. To wake a thread costs the caller 5 to 10 us, and the thread begins 20 to 50 us later: it pays for jobs
// that last longer than that, and for many shorter ones in a row.
constexpr int64_t WORTH_WAKING = 60'000;
// How long a worker looks for more work before it sleeps. Not longer: a spinning thread takes from others, and in a
// virtual machine from its own caller, whose host gives the core away.
constexpr int64_t SHORT_SPIN = 30'000, LONG_SPIN = 60'000;
constexpr int64_t PREEMPTED = 400'000;      // a spinning thread that finds such a gap was not running

int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What jobs cost the last time: nanoseconds of one thread's work, by their function and number of tasks. Only a guess
// (tasks of one function differ in size, entries may share a place): it decides who works, never what comes out.
struct Costs {
    static constexpr int PLACES = 512;
    std::atomic<int64_t> known[PLACES] = {};        // 0: not seen yet

    std::atomic<int64_t>& of(void (*body)(void*, int64_t), int64_t tasks) {
        constexpr uint64_t MIX = 0x9e3779b97f4a7c15;
        const uint64_t key = (reinterpret_cast<uint64_t>(body) + uint64_t(tasks) * MIX) * MIX;
        return known[(key >> 33) % PLACES];
    }
};

struct Pool {
    std::mutex callers;                     // held by the caller whose job is open
    std::mutex sleep;
    std::condition_variable wake;
    std::atomic<uint64_t> ticket{0};        // counts jobs
    std::atomic<int> sleepers{0};           // that nobody has woken yet
    uint64_t calls = 0;                     // how often they were woken; guarded by `sleep`
    int workers = 0;                        // started so far; guarded by `callers`

    // the open job; `users` is the number of workers in it, or -1 when none is open
    std::atomic<int> users{-1};
    void (*body)(void*, int64_t) = nullptr;
    void* arg = nullptr;
    int64_t tasks = 0;
    int limit = 0;                          // workers that may join
    std::atomic<int64_t> next{0};

    std::atomic<bool> failed{false};        // a task found no memory
    std::atomic<int> joined{0};             // workers that found a task in it

    Costs costs;
    int64_t debt = 0, settled = 0;          // work that was not worth waking anyone for, lately, and when that was

    // Runs tasks until none is left; gives whether there was one. `between` is asked before each of them but the first.
    template <class F>
    bool drain(F between) {
        int64_t i = next.fetch_add(1, std::memory_order_relaxed);
        const bool some = i < tasks;
        try {
            while (i < tasks) {
                body(arg, i);
                i = next.fetch_add(1, std::memory_order_relaxed);
                if (i < tasks) between();
            }
        } catch (const std::exception&) {
            failed.store(true, std::memory_order_relaxed);
            next.store(tasks, std::memory_order_relaxed);       // the others are of no use any more
        }
        return some;
    }

    // Whether the sleepers should be woken for a job of that much work. Short jobs add up: where they are a quarter of
    // the time and more, a worker that is awake pays, and stays so by itself.
    bool worth_waking(int64_t work, int64_t time) {
        debt = std::max<int64_t>(0, debt - (time - settled) / 4) + work;
        settled = time;
        if (debt < WORTH_WAKING) return false;
        debt = 0;
        return true;
    }

    void wake_sleepers() {
        std::lock_guard<std::mutex> lock(sleep);
        sleepers.store(0);
        calls++;
        wake.notify_all();
    }

    bool enter() {
        int seen = users.load(std::memory_order_relaxed);
        while (seen >= 0)
            if (users.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel)) return true;
        return false;
    }
};

Pool* pool = new Pool;                      // never deleted: workers may outlive static destructors
std::atomic<int> wanted{1};
thread_local bool inside = false;           // this thread runs a task

// How long this worker spins. The next job usually comes after a time like the last one's; where it comes late, or
// where others want the core, spinning only takes from them.
struct Patience {
    int64_t spin = SHORT_SPIN;
    int quick = 0;                          // jobs in a row that came soon

    void came_after(int64_t gap) {
        quick = gap < LONG_SPIN ? std::min(quick + 1, 64) : 0;
        spin = quick >= 2 ? LONG_SPIN : SHORT_SPIN;
    }
    void preempted() {
        quick = -8;
        spin = SHORT_SPIN;
    }
};

uint64_t wait_for_ticket(Pool* p, uint64_t seen, Patience& patience) {
    const int64_t began = now();
    for (int64_t last = began, time = began; time < began + patience.spin; last = time) {
        for (int i = 0; i < 64; i++) {
            const uint64_t ticket = p->ticket.load(std::memory_order_acquire);
            if (ticket != seen) {
                patience.came_after(time - began);
                return ticket;
            }
            pause();
        }
        time = now();
        if (time - last > PREEMPTED) {
            patience.preempted();
            break;
        }
    }
    std::unique_lock<std::mutex> lock(p->sleep);
    while (p->ticket.load() == seen) {          // it may be woken late, for a job that it has seen: it sleeps on then
        const uint64_t calls = p->calls;
        p->sleepers.fetch_add(1);
        if (p->ticket.load() == seen) p->wake.wait(lock);
        if (p->calls == calls) p->sleepers.fetch_sub(1);        // nobody woke it
    }
    patience.came_after(now() - began);
    return p->ticket.load();
}

void work(Pool* p, int number) {
    inside = true;
    Patience patience;
    for (uint64_t seen = 0;;) {
        seen = wait_for_ticket(p, seen, patience);
        if (!p->enter()) continue;
        if (number < p->limit && p->drain([] {})) p->joined.fetch_add(1, std::memory_order_relaxed);
        p->users.fetch_sub(1, std::memory_order_acq_rel);
    }
}

void start_workers(Pool* p, int n) {
    for (; p->workers < n; p->workers++) {
        try {
            std::thread(work, p, p->workers).detach();
        } catch (...) {
            return;         // fewer threads, same results
        }
    }
}

}  // namespace

void pool_run(int64_t tasks, void (*body)(void*, int64_t), void* arg) {
    const int threads = wanted.load(std::memory_order_relaxed);
    Pool* p = pool;
    if (tasks <= 1 || threads <= 1 || inside || !p->callers.try_lock()) {
        for (int64_t i = 0; i < tasks; i++) body(arg, i);
        return;
    }
    start_workers(p, threads - 1);
    p->body = body;
    p->arg = arg;
    p->tasks = tasks;
    p->limit = threads - 1;
    p->failed.store(false, std::memory_order_relaxed);
    p->joined.store(0, std::memory_order_relaxed);
    p->next.store(0, std::memory_order_relaxed);
    p->users.store(0, std::memory_order_release);
    p->ticket.fetch_add(1);

    std::atomic<int64_t>& cost = p->costs.of(body, tasks);
    const int64_t began = now(), guess = cost.load(std::memory_order_relaxed);
    bool asleep = p->sleepers.load() > 0;
    if (asleep && p->worth_waking(guess ? guess : WORTH_WAKING, began)) {
        p->wake_sleepers();
        asleep = false;
    }
    inside = true;
    p->drain([&] {
        if (asleep && now() - began > WORTH_WAKING) {       // it is longer than was thought
            p->wake_sleepers();
            asleep = false;
        }
    });
    inside = false;
    for (int none = 0, turns = 0; !p->users.compare_exchange_weak(none, -1, std::memory_order_acq_rel); none = 0)
        if (++turns < 4096) pause(); else std::this_thread::yield();
    const int64_t spent = (now() - began) * (1 + p->joined.load(std::memory_order_relaxed));
    cost.store(std::max<int64_t>(1, guess ? (3 * guess + spent) / 4 : spent), std::memory_order_relaxed);
    const bool failed = p->failed.load(std::memory_order_relaxed);
    p->callers.unlock();
    if (failed) throw std::bad_alloc();
}

int pool_threads() { return inside ? 1 : wanted.load(std::memory_order_relaxed); }
void pool_set_threads(int n) { wanted.store(n < 1 ? 1 : n); }

void pool_start() {
    // a forked child has none of the threads: it starts with a new pool
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { pool = new Pool; inside = false; }); });
}

}  // namespace weft
