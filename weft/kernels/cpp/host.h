// What the base extension (threads, memory, BLAS) lends to the kernels of each instruction set.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace weft {

struct Host {
    // every task once, over the pool; returns when all are done
    void (*run)(int64_t tasks, void (*body)(void*, int64_t), void* arg);
    // how many threads may work, the caller among them
    int (*threads)();
    // 64-byte aligned memory from the cache; null when there is none
    void* (*take)(size_t bytes);
    void (*give)(void* memory);                                            // and back
    // PyObject*: a C-contiguous array in such memory
    void* (*new_array)(int nd, const intptr_t* shape, int type);
};

extern const Host* host;    // set once, by the loader

// body(i) for every i below `tasks`, each a piece of work of 20 us or more. What a task is must not depend on the
// number of threads where results are summed: then they are the same with any number.
template <class F> inline void run_tasks(int64_t tasks, F&& body) {
    if (tasks == 1) { body(int64_t(0)); return; }
    if (tasks <= 0) return;
    using Body = std::remove_reference_t<F>;
    host->run(tasks, [](void* arg, int64_t i) { (*static_cast<Body*>(arg))(i); },
              const_cast<void*>(static_cast<const void*>(&body)));
}

// body(begin, end) over pieces of at least `grain` of n independent elements; small n stays on this thread
template <class F> inline void parallel(int64_t n, int64_t grain, F&& body) {
    int64_t pieces = grain > 0 ? n / grain : n;
    const int64_t most = host->threads() == 1 ? 1 : host->threads() * 4;
    if (pieces > most) pieces = most;
    if (pieces <= 1) { if (n > 0) body(int64_t(0), n); return; }
    run_tasks(pieces, [&](int64_t i) { body(n * i / pieces, n * (i + 1) / pieces); });
}

// Memory for the length of a kernel: uninitialised, aligned, from the cache. Throws std::bad_alloc, which the border
// reports; so take it before a parallel part, never inside one (exceptions can't leave a task): there, `host->take`.
template <class T> struct Scratch {
    T* data;
    explicit Scratch(size_t n) : data(static_cast<T*>(host->take(n * sizeof(T) + 64))) {
        if (!data) throw std::bad_alloc();
    }
    ~Scratch() { host->give(data); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    operator T*() const { return data; }
};

}  // namespace weft
