// Chains of elementwise functions (fused.h): reading a program, and running it over tiles.
#include "fused.h"

#include "half.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace weft {
namespace fused {
namespace {

constexpr int64_t LEAST_ROW = 64;       // shorter rows than that cost more to walk than they save
constexpr int64_t SMALL = 512, USUAL = 1024;        // elements of a tile
constexpr int64_t STREAMED = int64_t(8) << 20;      // results of so many bytes leave no trace in the caches

// What a code takes and gives, a letter for each: x is of the chain's type, b is bool; null for one that chains don't
// have.
const char* letters_of(int code) {
    if (const char* found = chained_letters(code)) return found;
    if (is_compare(code)) return "xxb";
    if (is_test(code)) return "xb";
    if (unary_row(code, F32).row) return "xx";
    return binary_row(code, F32).row ? "xxx" : nullptr;
}

RowChoice row_of(int code, int type) {
    if (chained_letters(code)) return chained_row(code, type);
    const RowChoice found = unary_row(code, type);
    return found.row ? found : binary_row(code, type);
}

// Whether a function gives one of its operands, perhaps turned round, or 0: where these are of a half type, it is, too.
constexpr bool picks(int which) {
    switch (which) {
        case code::neg: case code::abs: case code::relu: case code::maximum: case code::minimum: case code::where:
        case code::clamp: case code::inside: case code::relu_backward: case code::number_of: return true;
        default: return false;
    }
}

// Whether the numbers among the operands of a step are of the chain's half type.
bool has_round_numbers(const Program& p, const Step& s) {
    for (int k = 0; k < s.operands; k++) {
        const int i = s.in[k];
        if (i >= p.inputs || !(p.numbers >> i & 1)) continue;
        float value, rounded;
        std::memcpy(&value, p.in[i].data, sizeof value);
        rounded = value;
        (p.type == F16 ? round_to_halves : round_to_bfloats)(&rounded, 1);
        if (rounded != value) return false;
    }
    return true;
}

// Which steps of a chain of half types are to be rounded: not those that pick a value, nor results that no step reads,
// since these are rounded when they are stored.
void find_roundings(Program& p) {
    uint64_t read_later = 0;        // bit k: operand k
    static_assert(MOST_INPUTS + MOST_TILES + MOST_RESULTS <= 64);
    for (int i = p.steps - 1; i >= 0; i--) {
        Step& s = p.step[i];
        const bool stored = s.out >= p.inputs + p.tiles && !(read_later >> s.out & 1) &&
                            !(p.floats_last && s.out == p.inputs + p.tiles + p.results - 1);
        s.rounds = !s.truth && !stored && !(s.picks && has_round_numbers(p, s));
        for (int k = 0; k < s.operands; k++) read_later |= uint64_t(1) << s.in[k];
    }
}

// A step's numbers; kinds: the types of all operands, BOOL or the chain's, OTHER for what isn't made yet.
bool read_step(const int64_t* at, int operands, Program& p, Step& s, int* kinds) {
    const char* letters = letters_of(int(at[0]));
    if (!letters) return false;
    s.chosen = row_of(int(at[0]), is_half(p.type) ? F32 : p.type);
    s.operands = int(std::strlen(letters)) - 1;
    s.truth = letters[s.operands] == 'b';
    s.picks = picks(int(at[0]));
    if (!s.chosen.row || s.operands > MOST_OPERANDS) return false;
    for (int i = 0; i < MOST_OPERANDS; i++) {
        const int64_t k = at[1 + i];
        if (i >= s.operands ? k != -1 : k < 0 || k >= operands) return false;
        s.in[i] = int(k);
        if (i < s.operands && kinds[k] != (letters[i] == 'b' ? BOOL : p.type)) return false;
    }
    const int64_t out = at[1 + MOST_OPERANDS];
    if (out < p.inputs || out >= operands) return false;
    s.out = int(out);
    kinds[out] = letters[s.operands] == 'b' ? BOOL : p.type;
    return true;
}

// The inputs' strides by all dimensions, 0 where they repeat; false if one doesn't broadcast.
bool spread(const Array& a, const Program& p, intptr_t* stride) {
    if (a.nd > p.nd) return false;
    for (int d = 0, e = a.nd - p.nd; d < p.nd; d++, e++) {
        const intptr_t length = e < 0 ? 1 : a.shape[e];
        if (length != 1 && length != p.shape[d]) return false;
        stride[d] = length == 1 ? 0 : a.stride[e];
    }
    return true;
}

// The first dimension of those at the end that lie densely, or that repeat.
int evenly_from(const Program& p, const intptr_t* stride, int item, bool& repeats) {
    int dense = p.nd, repeated = p.nd;
    intptr_t expected = item;
    while (dense > 0 && (p.shape[dense - 1] == 1 || stride[dense - 1] == expected))
        expected *= p.shape[--dense];
    while (repeated > 0 && (p.shape[repeated - 1] == 1 || stride[repeated - 1] == 0)) repeated--;
    repeats = repeated < dense;
    return repeats ? repeated : dense;
}

// Rows: as many dimensions from the end as lie evenly in all inputs; the others are joined where they can be.
bool place(const Array* in, Program& p) {
    intptr_t stride[MOST_INPUTS][MAX_DIMS];
    int first = 0;
    for (int i = 0; i < p.inputs; i++) {
        bool repeats;
        if (!spread(in[i], p, stride[i])) return false;
        p.in[i].data = in[i].data;
        p.in[i].item = ITEM_SIZE[in[i].type];
        first = std::max(first, evenly_from(p, stride[i], p.in[i].item, repeats));
        p.in[i].single = repeats;
    }
    while (first > 0 && p.shape[first - 1] == 1) first--;
    for (int d = first; d < p.nd; d++) p.row *= p.shape[d];
    if (first && p.row < LEAST_ROW) return false;
    for (int i = 0; i < p.inputs; i++) {
        // of a row of more than one element: what repeats in all of it
        bool repeats = p.row > 1 || p.in[i].single;
        for (int d = first; d < p.nd; d++) repeats = repeats && (p.shape[d] == 1 || stride[i][d] == 0);
        p.in[i].single = repeats;
    }
    for (int d = first - 1; d >= 0; d--) {
        if (p.shape[d] == 1) continue;
        const int inside = MAX_DIMS - p.outer;      // the dimension that was put down last
        bool joined = p.outer > 0;
        for (int i = 0; i < p.inputs && joined; i++)
            joined = stride[i][d] == p.in[i].stride[inside] * p.length[inside];
        if (joined) { p.length[inside] *= p.shape[d]; continue; }
        p.length[inside - 1] = p.shape[d];
        for (int i = 0; i < p.inputs; i++) p.in[i].stride[inside - 1] = stride[i][d];
        p.outer++;
    }
    return true;
}

// Whether a result may lie where an input does: it is all of the result's size in one piece, and only the one who calls
// holds it.
bool may_take(const Program& p, int result, const Array& a) {
    return a.type == p.kind[result] && a.contiguous && a.size == p.size && a.nd == p.nd &&
           Py_REFCNT(reinterpret_cast<PyObject*>(a.object)) == 1 && !PyArray_BASE(a.object) &&
           PyArray_CHKFLAGS(a.object, NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE);
}

// Copies past the caches, where there is an instruction for it: memory isn't read before it is written. `to` is 64-byte
// aligned.
void stream(char* to, const char* from, int64_t bytes) {
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 64 <= bytes; i += 64)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_load_si512(from + i));
#elif defined(__AVX__)
    for (; i + 32 <= bytes; i += 32)
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                            _mm256_load_si256(reinterpret_cast<const __m256i*>(from + i)));
#endif
    std::memcpy(to + i, from + i, size_t(bytes - i));
}

void run_all(Program& p) {
    const int64_t item = ITEM_SIZE[p.type];
    p.streamed = !is_half(p.type) && !p.outer && p.size * item >= STREAMED &&
                 (p.tiles + p.results) * SMALL * item <= TILES_BYTES;
    for (int i = 0; i < p.results; i++) p.streamed &= reinterpret_cast<uintptr_t>(p.made[i]) % 64 == 0;
    if (p.streamed) p.tile = SMALL;
    const int64_t tile = p.tile;
    const int64_t per_row = (p.row + tile - 1) / tile, rows = p.size / p.row;
    const int64_t grain = std::max<int64_t>(1, CHEAP / (p.work() * std::min(tile, p.row)));
    parallel(rows * per_row, grain, [&](int64_t begin, int64_t end) {
        alignas(64) char tiles[TILES_BYTES];
        for (int64_t i = begin; i < end;) {
            const int64_t row = i / per_row, from = i % per_row, upto = std::min(per_row, from + end - i);
            run_row(p, row, from * tile, std::min(upto * tile, p.row) - from * tile, tiles, nullptr);
            i += upto - from;
        }
#if defined(__x86_64__)
        if (p.streamed) __builtin_ia32_sfence();        // other threads see the stores after this
#endif
    });
}

}  // namespace

int64_t Program::work() const {
    int64_t sum = 0;
    for (int i = 0; i < steps; i++) sum += CHEAP / step[i].chosen.cost;
    return sum;
}

bool read_program(const Array& numbers, const Array* in, int n, Program& p) {
    const int64_t* at = numbers.as<int64_t>();
    const int64_t* end = at + numbers.size;
    if (numbers.type != I64 || !numbers.contiguous || numbers.size < 5) return false;
    const int64_t inputs = at[0], steps = at[1], tiles = at[2], results = at[3], nd = at[4];
    at += 5;
    if (inputs != n || inputs < 1 || inputs > MOST_INPUTS || steps < 1 || steps > MOST_STEPS || tiles < 0 ||
        tiles > MOST_TILES || results < 1 || results > MOST_RESULTS || nd < 0 || nd > MAX_DIMS)
        return false;
    constexpr int EACH = MOST_OPERANDS + 2;
    const int64_t more = end - at - nd - EACH * steps;
    if (more != 0 && more != results) return false;
    p.inputs = int(inputs), p.steps = int(steps), p.tiles = int(tiles), p.results = int(results), p.nd = int(nd);
    for (int d = 0; d < nd; d++) {
        if (*at < 0) return false;
        p.shape[d] = *at;
        p.size *= *at++;
    }
    const int operands = int(inputs + tiles + results);
    int kinds[MOST_INPUTS + MOST_TILES + MOST_RESULTS];
    std::fill_n(kinds, operands, int(OTHER));
    p.type = OTHER;
    for (int i = 0; i < n; i++)
        if (p.type == OTHER ? in[i].type != BOOL : is_half(in[i].type)) p.type = in[i].type;
    if (p.type != F32 && p.type != F64 && !is_half(p.type)) return false;
    for (int i = 0; i < n; i++) {
        kinds[i] = in[i].type;
        if (is_half(p.type) && in[i].type == F32 && in[i].nd == 0) {
            p.numbers |= 1u << i;
            kinds[i] = p.type;
        } else if (in[i].type != BOOL && in[i].type != p.type) {
            return false;
        }
    }
    p.tile = tiles * ITEM_SIZE[p.type] > 24 ? SMALL : USUAL;
    for (int i = 0; i < steps; i++, at += EACH)
        if (!read_step(at, operands, p, p.step[i], kinds)) return false;
    for (int i = 0; i < results; i++) {
        if (more && (at[i] < -1 || at[i] >= inputs)) return false;
        p.instead[i] = more ? int(at[i]) : -1;
        p.kind[i] = kinds[inputs + tiles + i];
        if (p.kind[i] == OTHER) return false;
    }
    if (!place(in, p)) return false;
    p.floats_last = p.floats_last && is_half(p.type);
    if (is_half(p.type)) find_roundings(p);
    return true;
}

bool make_results(Program& p, const Array* in, int n, PyObject* tuple) {
    for (int i = 0; i < n; i++) {
        const int at = p.instead[i];
        PyObject* result = nullptr;
        if (at >= 0 && may_take(p, i, in[at])) Py_INCREF(result = reinterpret_cast<PyObject*>(in[at].object));
        else result = new_array(p.nd, p.shape, p.kind[i]);
        if (!result) return false;
        p.made[i] = data_of<char>(result);
        PyTuple_SET_ITEM(tuple, i, result);
    }
    return true;
}

// Elements of one row of a chain of half types: every operand has a tile of floats, which inputs are widened to and
// functions round. at: where inputs and results lie; single: bit i says that input i is one number.
static void run_half(const Program& p, const char* const* at, unsigned single, int64_t n, char* tiles) {
    constexpr int64_t PIECE = 256;
    static_assert((MOST_INPUTS + MOST_TILES + MOST_RESULTS) * PIECE * sizeof(float) <= TILES_BYTES);
    const auto widen = p.type == F16 ? floats_of_halves : floats_of_bfloats;
    const auto narrow = p.type == F16 ? halves_of_floats : bfloats_of_floats;
    const auto round = p.type == F16 ? round_to_halves : round_to_bfloats;
    const int first = p.inputs + p.tiles, operands = first + p.results;
    const auto tile = [&](int k) { return reinterpret_cast<float*>(tiles) + k * PIECE; };
    const char* in_use[MOST_INPUTS + MOST_TILES + MOST_RESULTS];
    for (int k = 0; k < operands; k++) in_use[k] = reinterpret_cast<const char*>(tile(k));
    for (int i = 0; i < p.inputs; i++) {
        if (p.numbers >> i & 1) in_use[i] = at[i];
        else if (p.in[i].item == 1) in_use[i] = at[i];                              // bool
        else if (single >> i & 1) widen(reinterpret_cast<const uint16_t*>(at[i]), tile(i), 1);
    }
    single |= p.numbers;
    for (int64_t done = 0; done < n; done += PIECE) {
        const int64_t some = std::min(PIECE, n - done);
        for (int i = 0; i < p.inputs; i++) {
            if (single >> i & 1) continue;
            if (p.in[i].item == 1) in_use[i] = at[i] + done;
            else widen(reinterpret_cast<const uint16_t*>(at[i]) + done, tile(i), some);
        }
        for (int i = 0; i < p.results; i++)
            if (p.kind[i] == BOOL) in_use[first + i] = at[first + i] + done;
        if (p.floats_last) in_use[operands - 1] = at[operands - 1] + done * int64_t(sizeof(float));
        for (int i = 0; i < p.steps; i++) {
            const Step& s = p.step[i];
            const char* in[MOST_OPERANDS] = {};
            unsigned scalars = 0;
            for (int k = 0; k < s.operands; k++) {
                in[k] = in_use[s.in[k]];
                if (s.in[k] < p.inputs) scalars |= (single >> s.in[k] & 1) << k;
            }
            char* out = const_cast<char*>(in_use[s.out]);
            s.chosen.row(some, out, in, scalars, nullptr);
            if (s.rounds) round(reinterpret_cast<float*>(out), some);
        }
        for (int i = 0; i < p.results - p.floats_last; i++)
            if (p.kind[i] != BOOL)
                narrow(tile(first + i), reinterpret_cast<uint16_t*>(const_cast<char*>(at[first + i])) + done, some);
    }
}

void run_row(const Program& p, int64_t r, int64_t from, int64_t n, char* tiles, char* last) {
    const char* at[MOST_INPUTS + MOST_TILES + MOST_RESULTS];
    unsigned single = 0;        // bit i: input i is one number here
    const int first = MAX_DIMS - p.outer;
    intptr_t index[MAX_DIMS];
    int64_t rest = r;
    for (int d = MAX_DIMS - 1; d >= first; d--) {
        index[d] = d == first ? rest : rest % p.length[d];
        if (d > first) rest /= p.length[d];
    }
    for (int i = 0; i < p.inputs; i++) {
        const Input& in = p.in[i];
        at[i] = in.data + (in.single ? 0 : from * in.item);
        for (int d = first; d < MAX_DIMS; d++) at[i] += index[d] * in.stride[d];
        if (in.single) single |= 1u << i;
    }
    const int64_t tile = p.tile, bytes = tile * ITEM_SIZE[p.type], place = r * p.row + from;
    for (int i = 0; i < p.tiles; i++) at[p.inputs + i] = tiles + i * bytes;
    const char** results = at + p.inputs + p.tiles;
    for (int i = 0; i < p.results; i++)
        results[i] = p.streamed ? tiles + (p.tiles + i) * bytes
                     : p.made[i] ? p.made[i] + place * ITEM_SIZE[p.kind[i]] : last;
    if (is_half(p.type)) return run_half(p, at, single, n, tiles);
    for (int64_t done = 0; done < n; done += tile) {
        const int64_t some = std::min(tile, n - done);
        for (int i = 0; i < p.steps; i++) {
            const Step& s = p.step[i];
            const char* in[MOST_OPERANDS] = {};
            unsigned scalars = 0;
            for (int k = 0; k < s.operands; k++) {
                in[k] = at[s.in[k]];
                if (s.in[k] < p.inputs) scalars |= (single >> s.in[k] & 1) << k;
            }
            s.chosen.row(some, const_cast<char*>(at[s.out]), in, scalars, nullptr);
        }
        if (p.streamed)
            for (int i = 0; i < p.results; i++)
                stream(p.made[i] + (place + done) * ITEM_SIZE[p.kind[i]], results[i], some * ITEM_SIZE[p.kind[i]]);
        for (int i = 0; i < p.inputs; i++)
            if (!p.in[i].single) at[i] += some * p.in[i].item;
        if (!p.streamed)
            for (int i = 0; i < p.results; i++) results[i] += some * ITEM_SIZE[p.kind[i]];
    }
}

}  // namespace fused

// fused(numbers, input, ...): the chain that `read_program` reads; a tuple of its results.
KERNEL(fused) {
    using namespace fused;
    Array numbers, in[MOST_INPUTS];
    if (n < 2 || n - 1 > MOST_INPUTS || !view_of(args[0], numbers)) return not_taken();
    for (Py_ssize_t i = 1; i < n; i++)
        if (!view_of(args[i], in[i - 1])) return not_taken();
    Program p;
    if (!read_program(numbers, in, int(n - 1), p)) return not_taken();
    PyObject* made = PyTuple_New(p.results);
    if (made && !make_results(p, in, p.results, made)) { Py_DECREF(made); return nullptr; }
    if (!made || !p.size) return made;
    Unlocked gil(p.size * p.steps);
    run_all(p);
    return made;
}

}  // namespace weft
