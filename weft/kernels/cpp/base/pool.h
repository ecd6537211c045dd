// One pool of threads for all kernels.
#pragma once
#include <cstdint>

namespace weft {

// Runs every task once, on the pool and on the caller; returns when all are done. Serial when the pool is busy with
// another caller's work, inside a task, or when one thread is all there is: so it never waits for itself and never
// oversubscribes.
void pool_run(int64_t tasks, void (*body)(void*, int64_t), void* arg);
int pool_threads();
void pool_set_threads(int n);
void pool_start();      // makes the pool safe across fork()

}  // namespace weft
