// PyTorch's CPU random numbers: one Mersenne Twister drawn serially, and the arithmetic between the draws and the
// numbers. `core/random.py` and `core/random_math.py` say the same in NumPy. Compile with -ffp-contract=off: what
// PyTorch's AVX2 build fuses is written as fma here, and nothing else may be.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mutex>

#if (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
#define WEFT_FMA_BUILD 1
#define WEFT_INLINE inline __attribute__((always_inline))
#define WEFT_FMA __attribute__((target("avx2,fma")))
#elif defined(__GNUC__) || defined(__clang__)
#define WEFT_INLINE inline __attribute__((always_inline))
#else
#define WEFT_INLINE inline
#endif

namespace weft {

constexpr int WORDS = 624, SHIFT = 397;
constexpr double TWO_PI = 2.0 * 3.14159265358979323846, UNIT53 = 1.0 / 9007199254740992.0;

inline bool has_fma() {
#ifdef WEFT_FMA_BUILD
    static const bool found = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return found;
#else
    return false;
#endif
}

// ---- the loops that vector code pays for, each built twice: for any machine, and with AVX2 and FMA ----

WEFT_INLINE uint32_t twisted(uint32_t high, uint32_t low, uint32_t far) {
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return far ^ (y >> 1) ^ (-(low & 1u) & 0x9908b0dfu);
}

WEFT_INLINE void next_block_body(uint32_t* key) {
    for (int k = 0; k < WORDS - SHIFT; k++) key[k] = twisted(key[k], key[k + 1], key[k + SHIFT]);
    for (int k = WORDS - SHIFT; k < 2 * (WORDS - SHIFT); k++)
        key[k] = twisted(key[k], key[k + 1], key[k - (WORDS - SHIFT)]);
    for (int k = 2 * (WORDS - SHIFT); k < WORDS - 1; k++)
        key[k] = twisted(key[k], key[k + 1], key[k - (WORDS - SHIFT)]);
    key[WORDS - 1] = twisted(key[WORDS - 1], key[0], key[SHIFT - 1]);
}

WEFT_INLINE void temper_body(const uint32_t* __restrict key, uint32_t* __restrict ready) {
    for (int k = 0; k < WORDS; k++) {
        uint32_t y = key[k];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        ready[k] = y ^ (y >> 18);
    }
}

WEFT_INLINE void floats_body(const uint32_t* __restrict bits, float* __restrict out, intptr_t n) {
    for (intptr_t i = 0; i < n; i++) out[i] = (float)(int32_t)(bits[i] & 0xffffffu) * (1.0f / 16777216.0f);
}

WEFT_INLINE void scale_body(float* out, intptr_t n, float span, float low, float high) {
    for (intptr_t i = 0; i < n; i++) {
        float v = std::fma(out[i], span, low);
        out[i] = v == high ? low : v;               // rounding may reach the open end
    }
}

WEFT_INLINE void scale64_body(double* out, intptr_t n, double span, double low, double high) {
    for (intptr_t i = 0; i < n; i++) {
        double v = std::fma(out[i], span, low);
        out[i] = v == high ? low : v;
    }
}

WEFT_INLINE int32_t bits_of(float x) { int32_t b; std::memcpy(&b, &x, 4); return b; }
WEFT_INLINE float float_of(int32_t b) { float x; std::memcpy(&x, &b, 4); return x; }

// Cephes' single-precision logarithm, for positive normal numbers: every polynomial step is one fused multiply-add.
WEFT_INLINE float log32(float x) {
    int32_t bits = bits_of(x), exponent = (bits >> 23) - 126;
    x = float_of((bits & 0x7fffff) | 0x3f000000);   // now in [0.5, 1)
    int32_t small = x < 0.707106781186547524f;
    exponent -= small;
    x = (x + (small ? x : 0.0f)) - 1.0f;
    float e = (float)exponent, square = x * x, y = 7.0376836292e-2f;
    y = std::fma(y, x, -1.1514610310e-1f);
    y = std::fma(y, x, 1.1676998740e-1f);
    y = std::fma(y, x, -1.2420140846e-1f);
    y = std::fma(y, x, 1.4249322787e-1f);
    y = std::fma(y, x, -1.6668057665e-1f);
    y = std::fma(y, x, 2.0000714765e-1f);
    y = std::fma(y, x, -2.4999993993e-1f);
    y = std::fma(y, x, 3.3333331174e-1f);
    y = std::fma(y * x, square, e * -2.12194440e-4f);
    y = (y - square * 0.5f) + x;
    return std::fma(e, 0.693359375f, y);
}

// Cephes' sine and cosine together, for numbers in [0, 2 pi].
WEFT_INLINE void sincos32(float x, float& sine, float& cosine) {
    int32_t octant = ((int32_t)(x * 1.27323954473516f) + 1) & ~1;
    float turns = (float)octant;
    x = std::fma(turns, -0.78515625f, x);
    x = std::fma(turns, -2.4187564849853515625e-4f, x);
    x = std::fma(turns, -3.77489497744594108e-8f, x);
    float z = x * x;
    float c = std::fma(std::fma(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f) * z;
    float s = std::fma(std::fma(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f) * z;
    c = std::fma(c, z, z * -0.5f) + 1.0f;
    s = std::fma(s, x, x);
    bool swap = (octant & 2) != 0;
    float first = swap ? c : s, second = swap ? s : c;
    sine = float_of(bits_of(first) ^ (int32_t)((uint32_t)(octant & 4) << 29));
    cosine = float_of(bits_of(second) ^ (int32_t)((uint32_t)(~(octant - 2) & 4) << 29));
}

// Groups of 16 uniforms to 16 normals in place: the first eight of a group give the radius, the others the angle.
WEFT_INLINE void box_muller_body(float* data, intptr_t groups, float mean, float std_) {
    constexpr int MOST = 16;                        // groups at a time
    float radius[8 * MOST], angle[8 * MOST], sine[8 * MOST], cosine[8 * MOST];
    while (groups > 0) {
        int now = (int)std::min<intptr_t>(groups, MOST);
        for (int g = 0; g < now; g++) {
            std::memcpy(radius + 8 * g, data + 16 * g, 32);
            std::memcpy(angle + 8 * g, data + 16 * g + 8, 32);
        }
        for (int i = 0; i < 8 * now; i++) {
            float r = std::sqrt(log32(1.0f - radius[i]) * -2.0f), s, c;
            sincos32(angle[i] * (float)TWO_PI, s, c);
            cosine[i] = std::fma(c * r, std_, mean);
            sine[i] = std::fma(s * r, std_, mean);
        }
        for (int g = 0; g < now; g++) {
            std::memcpy(data + 16 * g, cosine + 8 * g, 32);
            std::memcpy(data + 16 * g + 8, sine + 8 * g, 32);
        }
        data += 16 * now;
        groups -= now;
    }
}

WEFT_INLINE void box_muller_body(double* data, intptr_t groups, double mean, double std_) {
    for (; groups > 0; groups--, data += 16)
        for (int i = 0; i < 8; i++) {
            double radius = std::sqrt(-2.0 * std::log(1.0 - data[i])), theta = TWO_PI * data[i + 8];
            data[i] = std::fma(radius * std::cos(theta), std_, mean);
            data[i + 8] = std::fma(radius * std::sin(theta), std_, mean);
        }
}

#ifdef WEFT_FMA_BUILD
#define WEFT_TWICE(name, params, args)                                    \
    static void name##_any params { name##_body args; }                   \
    WEFT_FMA static void name##_fma params { name##_body args; }          \
    static inline void name params { if (has_fma()) name##_fma args; else name##_any args; }
#else
#define WEFT_TWICE(name, params, args) static inline void name params { name##_body args; }
#endif

WEFT_TWICE(next_block, (uint32_t* key), (key))
WEFT_TWICE(temper, (const uint32_t* key, uint32_t* ready), (key, ready))
WEFT_TWICE(floats, (const uint32_t* bits, float* out, intptr_t n), (bits, out, n))
WEFT_TWICE(scale, (float* out, intptr_t n, float span, float low, float high), (out, n, span, low, high))
WEFT_TWICE(scale64, (double* out, intptr_t n, double span, double low, double high), (out, n, span, low, high))
WEFT_TWICE(box_muller, (float* data, intptr_t groups, float mean, float std_), (data, groups, mean, std_))
static inline void box_muller(double* data, intptr_t groups, double mean, double std_) {
    box_muller_body(data, groups, mean, std_);
}

// ---- the generator ----

struct Twister {
    uint32_t key[WORDS], ready[WORDS];              // the state, and its words as they are handed out
    int at = WORDS;                                 // the next one; WORDS when a new block is due
    bool rewound = true, has_normal = false;        // seeded and not drawn from yet; a second normal is kept
    double normal = 0;
    std::mutex busy;                                // a long draw runs without the interpreter's lock

    void seed(uint32_t value) {
        for (int i = 0; i < WORDS; i++) { key[i] = value; value = 1812433253u * (value ^ (value >> 30)) + i + 1; }
        at = WORDS;
        rewound = true;
        has_normal = false;
    }

    void load(const uint32_t* words, int position) {
        std::memcpy(key, words, sizeof key);
        temper(key, ready);
        at = position;
    }

    void advance() { next_block(key); temper(key, ready); at = 0; rewound = false; }

    uint32_t bits32() { if (at == WORDS) advance(); return ready[at++]; }
    uint64_t bits64() { uint64_t high = bits32(); return high << 32 | bits32(); }
    int64_t bits53() { return (int64_t)(bits64() & 0x1fffffffffffffu); }
    double uniform() { return (double)bits53() * UNIT53; }

    // the next words as they lie in memory, at most n of them
    const uint32_t* run(intptr_t n, intptr_t& got) {
        if (at == WORDS) advance();
        got = std::min<intptr_t>(n, WORDS - at);
        const uint32_t* words = ready + at;
        at += (int)got;
        return words;
    }

    double normal64() {
        if (has_normal) { has_normal = false; return normal; }
        double u1 = uniform(), u2 = uniform();
        double radius = std::sqrt(-2.0 * std::log1p(-u2)), theta = TWO_PI * u1;
        normal = radius * std::sin(theta);
        has_normal = true;
        return radius * std::cos(theta);
    }

    void fill32(uint32_t* out, intptr_t n) {
        for (intptr_t got; n > 0; n -= got, out += got) {
            const uint32_t* words = run(n, got);
            std::memcpy(out, words, got * 4);
        }
    }
    void fill64(uint64_t* out, intptr_t n) {
        while (n > 0) {
            intptr_t pairs = std::min<intptr_t>(n, (WORDS - at) / 2);
            if (pairs == 0) { *out++ = bits64(); n--; continue; }       // one that straddles two blocks
            const uint32_t* words = ready + at;
            for (intptr_t i = 0; i < pairs; i++) out[i] = (uint64_t)words[2 * i] << 32 | words[2 * i + 1];
            at += (int)(2 * pairs);
            out += pairs;
            n -= pairs;
        }
    }
    void unit(float* out, intptr_t n) {
        for (intptr_t got; n > 0; n -= got, out += got) {
            const uint32_t* words = run(n, got);
            floats(words, out, got);
        }
    }
    void unit(double* out, intptr_t n) {
        uint64_t bits[256];
        for (intptr_t now; n > 0; n -= now, out += now) {
            now = std::min<intptr_t>(n, 256);
            fill64(bits, now);
            for (intptr_t i = 0; i < now; i++) out[i] = (double)(int64_t)(bits[i] & 0x1fffffffffffffu) * UNIT53;
        }
    }

    void uniforms(float* out, intptr_t n, double low, double high) {
        constexpr intptr_t BLOCK = 4096;            // scaled while it is in the cache
        if (low == 0 && high == 1) return unit(out, n);
        for (intptr_t i = 0; i < n; i += BLOCK) {
            intptr_t now = std::min(BLOCK, n - i);
            unit(out + i, now);
            scale(out + i, now, (float)high - (float)low, (float)low, (float)high);
        }
    }
    void uniforms(double* out, intptr_t n, double low, double high) {
        constexpr intptr_t BLOCK = 4096;
        if (low == 0 && high == 1) return unit(out, n);
        for (intptr_t i = 0; i < n; i += BLOCK) {
            intptr_t now = std::min(BLOCK, n - i);
            unit(out + i, now);
            scale64(out + i, now, high - low, low, high);
        }
    }

    // 16 or more into one piece of memory by groups, the last incomplete group replaced by 16 new ones that overlap;
    // else one by one
    template <class T> void normals(T* out, intptr_t n, double mean, double std_) {
        if (n < 16) {
            for (intptr_t i = 0; i < n; i++) out[i] = (T)std::fma(normal64(), std_, mean);
            return;
        }
        constexpr intptr_t BLOCK = 4096;
        intptr_t whole = n - n % 16;
        for (intptr_t i = 0; i < whole; i += BLOCK) {
            intptr_t now = std::min(BLOCK, whole - i);
            unit(out + i, now);
            box_muller(out + i, now / 16, (T)mean, (T)std_);
        }
        if (n > whole) {
            unit(out + whole, n - whole);           // drawn, and not used
            unit(out + n - 16, 16);
            box_muller(out + n - 16, 1, (T)mean, (T)std_);
        }
    }
    void serial_normals(double* out, intptr_t n) { for (intptr_t i = 0; i < n; i++) out[i] = normal64(); }

    template <class T> void integers(T* out, intptr_t n, int64_t low, uint64_t span, bool wide) {
        if (wide) {
            for (intptr_t i = 0; i < n; i++) out[i] = (T)(int64_t)((uint64_t)low + (span ? bits64() % span : bits64()));
            return;
        }
        const uint32_t small = (uint32_t)span;
        for (intptr_t got; n > 0; n -= got, out += got) {
            const uint32_t* words = run(n, got);
            for (intptr_t i = 0; i < got; i++) out[i] = (T)(int64_t)((uint64_t)low + words[i] % small);
        }
    }

    template <class T> void chances(T* out, intptr_t n, int64_t threshold) {
        uint64_t bits[256];
        for (intptr_t now; n > 0; n -= now, out += now) {
            now = std::min<intptr_t>(n, 256);
            fill64(bits, now);
            // the sign
            for (intptr_t i = 0; i < now; i++)
                out[i] = (T)(int32_t)((bits[i] & 0x1fffffffffffffu) - (uint64_t)threshold >> 63);
        }
    }
    template <class T> void chances_by(T* out, const float* p, intptr_t n) {
        for (intptr_t got; n > 0; n -= got, out += got, p += got) {
            const uint32_t* words = run(n, got);
            for (intptr_t i = 0; i < got; i++)
                out[i] = (T)((float)(int32_t)(words[i] & 0xffffffu) * (1.0f / 16777216.0f) < p[i]);
        }
    }
    template <class T> void chances_by(T* out, const double* p, intptr_t n) {
        for (intptr_t i = 0; i < n; i++) out[i] = (T)(uniform() < p[i]);
    }

    // Fisher and Yates from the front; I is the narrow type the places are shuffled in
    template <class I> void permutation(I* order, intptr_t n) {
        for (intptr_t i = 0; i < n; i++) order[i] = (I)i;
        for (intptr_t i = 0; i < n - 1; i++) {
            intptr_t j = i + (n <= 0xffffffffLL ? (intptr_t)(bits32() % (uint32_t)(n - i))
                                                : (intptr_t)(bits32() % (uint64_t)(n - i)));
            std::swap(order[i], order[j]);
        }
    }

    enum Kind { EXPONENTIAL, CAUCHY, GEOMETRIC, LOG_NORMAL };
    template <class T> void transformed(int kind, T* out, intptr_t n, double a, double b) {
        constexpr double PI = 3.14159265358979323846;
        switch (kind) {
            case EXPONENTIAL: { double scale = -1.0 / a;
                                for (intptr_t i = 0; i < n; i++) out[i] = (T)(scale * std::log1p(-uniform())); break; }
            case CAUCHY:
                for (intptr_t i = 0; i < n; i++) out[i] = (T)std::fma(std::tan(PI * (uniform() - 0.5)), b, a);
                break;
            case GEOMETRIC: { double rest = std::log1p(-a);
                for (intptr_t i = 0; i < n; i++) out[i] = (T)std::ceil(std::log(uniform()) / rest);
                break;
            }
            case LOG_NORMAL: for (intptr_t i = 0; i < n; i++) out[i] = (T)std::exp(std::fma(normal64(), b, a)); break;
        }
    }

    // ---- rejection samplers ----

    double poisson(double rate) {
        if (rate == 0) return 0;
        if (rate < 10) {
            double count = 0, product = uniform(), floor = std::exp(-rate);
            while (product > floor) { count++; product *= uniform(); }
            return count;
        }
        // Hoermann's transformed rejection
        const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
        const double log_inverse_alpha = std::log(1.1239 + 1.1328 / (b - 3.4)), accept = 0.9277 - 3.6224 / (b - 2);
        const double log_rate = std::log(rate);
        while (true) {
            double u = uniform() - 0.5, v = uniform(), us = 0.5 - std::fabs(u);
            if (us == 0) continue;
            double k = std::floor((2 * a / us + b) * u + rate + 0.43);
            if (us >= 0.07 && v <= accept) return k;
            if (k < 0 || (us < 0.013 && v > us)) continue;
            if (v == 0 || std::log(v) + log_inverse_alpha - std::log(a / (us * us) + b) <=
                              -rate + k * log_rate - std::lgamma(k + 1))
                return k;
        }
    }
    void poissons(const double* rate, double* out, intptr_t n) {
        for (intptr_t i = 0; i < n; i++) out[i] = poisson(rate[i]);
    }

    // Marsaglia and Tsang's rejection; a power > 0 boosts a shape below 1
    double gamma(double power, double d) {
        if (power == INFINITY) return 0;
        if (!(d > 0)) return NAN;
        double scale = power ? std::pow(1 - uniform(), power) : 1.0, c = 1.0 / std::sqrt(9.0 * d);
        while (true) {
            double x = normal64(), y = 1.0 + c * x;
            if (y <= 0) continue;
            double v = y * y * y, u = 1 - uniform(), xx = x * x;
            if (u < 1.0 - (double)0.0331f * xx * xx || std::log(u) < 0.5 * xx + d * (1.0 - v + std::log(v)))
                return scale * d * v;
        }
    }
    void gammas(const double* power, const double* d, double* out, intptr_t n) {
        for (intptr_t i = 0; i < n; i++) out[i] = gamma(power[i], d[i]);
    }

    // count the geometric gaps that fit into `count` tries
    double inversion(double count, double log_rest) {
        double total = 0, successes = 0;
        while (true) {
            double u = uniform();
            total += u ? std::ceil(std::log(u) / log_rest) : INFINITY;
            if (total > count) return successes;
            successes++;
        }
    }

    // what Stirling's formula misses of log k!
    static double stirling_tail(double k) {
        static const double first[10] = {
            0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
            0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
        if (k < 10) return first[(int)k];
        double square = (k + 1) * (k + 1);
        return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
    }

    // Hoermann's transformed rejection with squeeze
    double btrs(double count, double few, double product, double stddev, double odds, double mode) {
        const double b = 1.15 + 2.53 * stddev, a = -0.0873 + 0.0248 * b + 0.01 * few;
        const double c = product + 0.5, accept = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * stddev;
        while (true) {
            double u = uniform() - 0.5, v = uniform(), us = 0.5 - std::fabs(u);
            if (us == 0) continue;
            double k = std::floor((2 * a / us + b) * u + c);
            if (k < 0 || k > count) continue;
            if (us >= 0.07 && v <= accept) return k;
            double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (count - mode + 1))) +
                           (count + 1) * std::log((count - mode + 1) / (count - k + 1)) +
                           (k + 0.5) * std::log(odds * (count - k + 1) / (k + 1)) + stirling_tail(mode) +
                           stirling_tail(count - mode) - stirling_tail(k) - stirling_tail(count - k);
            if (v == 0 || std::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
        }
    }

    // rows of (count, prob, few, product, stddev, odds, mode, log_rest), one after another
    void binomials(const double* rows, double* out, intptr_t n) {
        for (intptr_t i = 0; i < n; i++, rows += 8) {
            double count = rows[0], prob = rows[1];
            if (count <= 0 || prob <= 0) out[i] = 0;
            else if (prob >= 1) out[i] = count;
            else if (prob != prob || count != count) out[i] = NAN;
            else {
                double got = rows[3] >= 10 ? btrs(count, rows[2], rows[3], rows[4], rows[5], rows[6])
                                           : inversion(count, rows[7]);
                out[i] = prob <= 0.5 ? got : count - got;
            }
        }
    }
};

}  // namespace weft
