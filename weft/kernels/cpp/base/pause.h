// What a thread does between two looks at something that another one is about to change.
#pragma once

#include <thread>

namespace weft {

inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

}  // namespace weft
