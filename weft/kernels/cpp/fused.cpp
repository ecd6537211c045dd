// A chain of elementwise functions in one pass: a small machine whose registers are tiles of the nearest cache, and
// whose instructions are the rows of pointwise_ops.h. So what it gives has the very bits that the functions give one
// after the other, and only the chain's inputs and results go through memory.
#include "pointwise_rows.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace weft {
namespace {

constexpr int MOST_INPUTS = 16, MOST_STEPS = 64, MOST_TILES = 12, MOST_RESULTS = 12;
constexpr int64_t LEAST_ROW = 64;       // shorter rows than that cost more to walk than they save
constexpr int64_t STREAMED = int64_t(8) << 20;      // results of so many bytes leave no trace in the caches

// How an input lies against the results: all of it, one number, one row for all rows, one number for each row.
enum Mode { FULL, ONE, ROW, COLUMN };
struct Input { const char* data; Mode mode; };

struct Step { RowChoice chosen; int a, b, out; };       // b: -1 for functions of one array

struct Program {
    int type, item, nd, inputs, steps, tiles, results;
    intptr_t shape[MAX_DIMS];
    int64_t size = 1, row = 0;          // row: elements of a row, where there are rows
    Input in[MOST_INPUTS];
    Step step[MOST_STEPS];
    int instead[MOST_RESULTS];          // the input whose memory a result may take, or -1
    char* made[MOST_RESULTS];
    bool streamed = false;              // results are made in tiles and then sent past the caches
};

// numbers: [inputs, steps, tiles, results, nd, shape..., (code, a, b, out)..., instead...]; an operand is the number of
// an input, then of a tile, then of a result. The last part may be left out. Where it says that a result may take an
// input's memory, nobody reads that input afterwards, and no step reads it after the one that makes the result.
bool decode(const Array& numbers, int type, Program& p) {
    const int64_t* at = numbers.as<int64_t>();
    const int64_t* end = at + numbers.size;
    if (numbers.type != I64 || !numbers.contiguous || numbers.size < 5) return false;
    p.type = type;
    p.item = ITEM_SIZE[type];
    const int64_t inputs = at[0], steps = at[1], tiles = at[2], results = at[3], nd = at[4];
    at += 5;
    if (inputs < 1 || inputs > MOST_INPUTS || steps < 1 || steps > MOST_STEPS || tiles < 0 || tiles > MOST_TILES ||
        results < 1 || results > MOST_RESULTS || nd < 0 || nd > MAX_DIMS)
        return false;
    const int64_t more = end - at - nd - 4 * steps;
    if (more != 0 && more != results) return false;
    p.inputs = int(inputs), p.steps = int(steps), p.tiles = int(tiles), p.results = int(results), p.nd = int(nd);
    for (int d = 0; d < nd; d++) {
        if (*at < 0) return false;
        p.shape[d] = *at;
        p.size *= *at++;
    }
    const int64_t operands = inputs + tiles + results;
    for (int i = 0; i < steps; i++, at += 4) {
        Step& s = p.step[i];
        if (at[1] < 0 || at[1] >= operands || at[2] < -1 || at[2] >= operands || at[3] < inputs || at[3] >= operands)
            return false;
        const int code = int(at[0]);
        s = {at[2] < 0 ? unary_row(code, type) : binary_row(code, type), int(at[1]), int(at[2]), int(at[3])};
        if (!s.chosen.row || is_compare(code)) return false;
    }
    for (int i = 0; i < results; i++) {
        if (more && (at[i] < -1 || at[i] >= inputs)) return false;
        p.instead[i] = more ? int(at[i]) : -1;
    }
    return true;
}

// Whether a result may lie where an input does: it is all of the result's size in one piece, and only the one who calls
// holds it.
bool may_take(const Program& p, int i, const Array& a) {
    return p.in[i].mode == FULL && a.contiguous && a.size == p.size && a.nd == p.nd &&
           Py_REFCNT(reinterpret_cast<PyObject*>(a.object)) == 1 && !PyArray_BASE(a.object) &&
           PyArray_CHKFLAGS(a.object, NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE);
}

// false for an input that lies in none of the four ways, or has other rows than the inputs before it
bool place(const Array& a, Program& p, Input& to) {
    if (a.type != p.type || a.nd > p.nd) return false;
    intptr_t stride[MAX_DIMS];
    for (int d = 0, e = a.nd - p.nd; d < p.nd; d++, e++) {
        const intptr_t length = e < 0 ? 1 : a.shape[e];
        if (length != 1 && length != p.shape[d]) return false;
        stride[d] = length == 1 ? 0 : a.stride[e];
    }
    // the innermost dimensions that lie densely, then the ones outside them; and the innermost that repeat
    to.data = a.data;
    int dense = p.nd, repeated = p.nd;
    intptr_t expected = p.item;
    while (dense > 0 && (p.shape[dense - 1] == 1 || stride[dense - 1] == expected))
        expected *= p.shape[--dense];
    while (repeated > 0 && (p.shape[repeated - 1] == 1 || stride[repeated - 1] == 0)) repeated--;
    int64_t row = 1;
    if (repeated == 0) { to.mode = ONE; return true; }
    if (dense == 0) { to.mode = FULL; return true; }
    if (repeated == p.nd) {     // dense inside: a row, if the rest repeats
        for (int d = dense; d < p.nd; d++) row *= p.shape[d];
        for (int d = 0; d < dense; d++)
            if (p.shape[d] != 1 && stride[d] != 0) return false;
        to.mode = ROW;
    } else {
        for (int d = repeated; d < p.nd; d++) row *= p.shape[d];
        expected = p.item;
        for (int d = repeated; d-- > 0; expected *= p.shape[d])
            if (p.shape[d] != 1 && stride[d] != expected) return false;
        to.mode = COLUMN;
    }
    if (row < LEAST_ROW || (p.row && p.row != row)) return false;
    p.row = row;
    return true;
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

// Elements from..from + n of the results, a stretch that lies in one row.
void run_tile(const Program& p, int64_t from, int64_t n, char* tiles, int64_t tile_bytes) {
    const char* at[MOST_INPUTS + MOST_TILES + MOST_RESULTS];
    unsigned single = 0;        // bit i: input i is one number here
    for (int i = 0; i < p.inputs; i++) {
        const Input& in = p.in[i];
        int64_t skip = 0;
        if (in.mode == FULL) skip = from;
        else if (in.mode == ROW) skip = from % p.row;
        else if (in.mode == COLUMN) skip = from / p.row;
        at[i] = in.data + skip * p.item;
        if (in.mode == ONE || in.mode == COLUMN) single |= 1u << i;
    }
    for (int i = 0; i < p.tiles; i++) at[p.inputs + i] = tiles + i * tile_bytes;
    for (int i = 0; i < p.results; i++)
        at[p.inputs + p.tiles + i] = p.streamed ? tiles + (p.tiles + i) * tile_bytes : p.made[i] + from * p.item;
    for (int i = 0; i < p.steps; i++) {
        const Step& s = p.step[i];
        const char* in[2] = {at[s.a], s.b < 0 ? nullptr : at[s.b]};
        unsigned scalars = s.a < p.inputs ? single >> s.a & 1 : 0;
        if (s.b >= 0 && s.b < p.inputs) scalars |= (single >> s.b & 1) << 1;
        s.chosen.row(n, const_cast<char*>(at[s.out]), in, scalars, nullptr);
    }
    if (p.streamed)
        for (int i = 0; i < p.results; i++)
            stream(p.made[i] + from * p.item, at[p.inputs + p.tiles + i], n * p.item);
}

constexpr int64_t TILES_BYTES = MOST_TILES * 512 * 8;

void run_all(Program& p) {
    const int64_t tile = p.tiles * p.item > 24 ? 512 : 1024;
    p.streamed = !p.row && p.size * p.item >= STREAMED && (p.tiles + p.results) * tile * p.item <= TILES_BYTES;
    for (int i = 0; i < p.results; i++) p.streamed &= reinterpret_cast<uintptr_t>(p.made[i]) % 64 == 0;
    const int64_t row = p.row ? p.row : p.size, per_row = (row + tile - 1) / tile, rows = p.row ? p.size / p.row : 1;
    int64_t work = 0;           // of one element, in cheap functions
    for (int i = 0; i < p.steps; i++) work += CHEAP / p.step[i].chosen.cost;
    const int64_t grain = std::max<int64_t>(1, CHEAP / (work * std::min(tile, row)));
    parallel(rows * per_row, grain, [&](int64_t begin, int64_t end) {
        alignas(64) char tiles[TILES_BYTES];
        for (int64_t i = begin; i < end; i++) {
            const int64_t from = i % per_row * tile;
            run_tile(p, i / per_row * row + from, std::min(tile, row - from), tiles, tile * p.item);
        }
#if defined(__x86_64__)
        if (p.streamed) __builtin_ia32_sfence();        // other threads see the stores after this
#endif
    });
}

}  // namespace

// fused(numbers, input, ...): the chain that `decode` reads; a tuple of its results.
KERNEL(fused) {
    Array numbers, in[MOST_INPUTS];
    if (n < 2 || n - 1 > MOST_INPUTS || !view_of(args[0], numbers)) return not_taken();
    for (Py_ssize_t i = 1; i < n; i++)
        if (!view_of(args[i], in[i - 1])) return not_taken();
    Program p;
    if ((in[0].type != F32 && in[0].type != F64) || !decode(numbers, in[0].type, p) || p.inputs != n - 1)
        return not_taken();
    for (int i = 0; i < p.inputs; i++)
        if (!place(in[i], p, p.in[i])) return not_taken();
    PyObject* made = PyTuple_New(p.results);
    for (int i = 0; made && i < p.results; i++) {
        const int at = p.instead[i];
        PyObject* result = nullptr;
        if (at >= 0 && may_take(p, at, in[at])) Py_INCREF(result = reinterpret_cast<PyObject*>(in[at].object));
        else result = new_array(p.nd, p.shape, p.type);
        if (!result) { Py_DECREF(made); return nullptr; }
        p.made[i] = data_of<char>(result);
        PyTuple_SET_ITEM(made, i, result);
    }
    if (!made || !p.size) return made;
    Unlocked gil(p.size * p.steps);
    run_all(p);
    return made;
}

}  // namespace weft
