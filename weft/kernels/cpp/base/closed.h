// Under AddressSanitizer a block is closed while it is cached, and beyond what was asked for: a kernel that reads or
// writes there is caught.
#pragma once
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define OPEN(block, bytes) ASAN_UNPOISON_MEMORY_REGION(block, bytes)
#define CLOSE(block, bytes) ASAN_POISON_MEMORY_REGION(block, bytes)
#else
#define OPEN(block, bytes) static_cast<void>(0)
#define CLOSE(block, bytes) static_cast<void>(0)
#endif
