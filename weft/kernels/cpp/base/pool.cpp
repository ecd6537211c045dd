#include "pool.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace weft {
namespace {

inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

constexpr auto SPIN = std::chrono::microseconds(30);    // how long a thread looks for more work before it sleeps

struct Pool {
    std::mutex callers;                     // held by the caller whose job is open
    std::mutex sleep;
    std::condition_variable wake;
    std::atomic<uint64_t> ticket{0};        // counts jobs
    std::atomic<int> sleepers{0};
    int workers = 0;                        // started so far; guarded by `callers`

    // the open job; `users` is the number of workers in it, or -1 when none is open
    std::atomic<int> users{-1};
    void (*body)(void*, int64_t) = nullptr;
    void* arg = nullptr;
    int64_t tasks = 0;
    int limit = 0;                          // workers that may join
    std::atomic<int64_t> next{0};

    std::atomic<bool> failed{false};        // a task found no memory

    void drain() {
        try {
            for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) body(arg, i);
        } catch (const std::exception&) {
            failed.store(true, std::memory_order_relaxed);
            next.store(tasks, std::memory_order_relaxed);       // the others are of no use any more
        }
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

uint64_t wait_for_ticket(Pool* p, uint64_t seen) {
    const auto until = std::chrono::steady_clock::now() + SPIN;
    do {
        for (int i = 0; i < 64; i++) {
            const uint64_t now = p->ticket.load(std::memory_order_acquire);
            if (now != seen) return now;
            pause();
        }
    } while (std::chrono::steady_clock::now() < until);
    std::unique_lock<std::mutex> lock(p->sleep);
    p->sleepers.fetch_add(1);
    p->wake.wait(lock, [&] { return p->ticket.load() != seen; });
    p->sleepers.fetch_sub(1);
    return p->ticket.load();
}

void work(Pool* p, int number) {
    inside = true;
    for (uint64_t seen = 0;;) {
        seen = wait_for_ticket(p, seen);
        if (!p->enter()) continue;
        if (number < p->limit) p->drain();
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
    p->next.store(0, std::memory_order_relaxed);
    p->users.store(0, std::memory_order_release);
    p->ticket.fetch_add(1);
    if (p->sleepers.load()) {
        std::lock_guard<std::mutex> lock(p->sleep);
        p->wake.notify_all();
    }
    inside = true;
    p->drain();
    inside = false;
    for (int none = 0, turns = 0; !p->users.compare_exchange_weak(none, -1, std::memory_order_acq_rel); none = 0)
        if (++turns < 4096) pause(); else std::this_thread::yield();
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
