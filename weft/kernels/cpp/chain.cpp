// The elementwise ops of many small examples in one pass (batching/chain.py): a program that runs once for each row.
// Its registers are pieces of rows of arrays, which may lie apart or be picked by number, or scratch memory in the
// nearest cache; its steps are the rows of pointwise_ops.h, so what it gives has the bits that the ops give.
#include <algorithm>
#include <cstring>
#include <vector>

#include "pointwise_rows.h"

namespace weft {
namespace {

constexpr int64_t MOST_ARRAYS = 128, MOST_REGISTERS = 1024, MOST_STEPS = 1024, SCRATCH = 1 << 16;
constexpr int COPY = 0, ZERO = -1;          // what a step may do besides the functions with a code
enum Mode { ROWS, SHARED, NUMBER };         // an array has a row for each example, one for all, or is one number

struct Source { char* data; const int64_t* rows; int64_t stride; };         // stride in bytes; rows: which, or null
struct Register { int array; int64_t offset; };                             // array -1: scratch; offset in bytes
struct Step { Row row; int code, a, b, out; unsigned scalars; int64_t width; };

struct Program {
    int item = 0;
    int64_t rows = 0, work = 0, scratch = 0;    // work: of one row, in cheap functions of one element
    std::vector<Source> sources;
    std::vector<Register> registers;
    std::vector<Step> steps;
};

// The elements of one row that lie beside each other, or -1.
int64_t dense_row(const Array& a, int first) {
    int64_t size = 1;
    for (int d = a.nd - 1; d >= first; d--) {
        if (a.shape[d] != 1 && a.stride[d] != size * ITEM_SIZE[a.type]) return -1;
        size *= a.shape[d];
    }
    return size;
}

bool take_source(const Array& a, const Array& rows, int64_t mode, const Program& p, Source& to, int64_t& width) {
    to = {a.data, nullptr, mode == ROWS ? a.stride[0] : 0};
    if (mode != ROWS) {
        width = dense_row(a, 0);
        return !rows && width >= 1 && (mode == SHARED || (mode == NUMBER && a.size == 1));
    }
    if (a.nd < 1 || (width = dense_row(a, 1)) < 1) return false;
    if (!rows) return a.shape[0] == p.rows;
    if (rows.nd != 1 || rows.type != I64 || !rows.contiguous || rows.size != p.rows) return false;
    to.rows = rows.as<int64_t>();
    bool good = true;
    for (int64_t i = 0; i < rows.size; i++) good &= uint64_t(to.rows[i]) < uint64_t(a.shape[0]);
    return good;
}

// numbers: [arrays, registers, steps, scratch, first array that is written to, mode of each array..., (array, offset,
// width) of each register..., (code, a, b, out) of each step...], offsets and widths in elements; given: array, rows...
bool decode(const Array& numbers, PyObject* const* given, int64_t n_given, Program& p) {
    const int64_t* at = numbers.as<int64_t>();
    if (numbers.type != I64 || !numbers.contiguous || numbers.size < 5) return false;
    const int64_t arrays = at[0], registers = at[1], steps = at[2], scratch = at[3], written = at[4];
    if (arrays < 1 || arrays > MOST_ARRAYS || registers < 1 || registers > MOST_REGISTERS || steps < 1 ||
        steps > MOST_STEPS || scratch < 0 || scratch > SCRATCH || n_given != 2 * arrays ||
        numbers.size != 5 + arrays + 3 * registers + 4 * steps)
        return false;
    at += 5;
    int type = OTHER;
    std::vector<int64_t> widths(arrays), register_widths(registers);
    p.sources.resize(arrays), p.registers.resize(registers), p.steps.resize(steps);
    const int64_t* modes = at;
    for (int64_t i = 0; i < arrays; i++) {
        Array a, rows;
        if (!view_of(given[2 * i], a) || !read_one(given[2 * i + 1], rows)) return false;
        if (type == OTHER) type = a.type;
        if (a.type != type || !take_source(a, rows, *at++, p, p.sources[i], widths[i])) return false;
    }
    if (type != F32 && type != F64) return false;
    p.item = ITEM_SIZE[type], p.scratch = scratch * p.item;
    for (int64_t i = 0; i < registers; i++, at += 3) {
        if (at[0] < -1 || at[0] >= arrays) return false;
        const int64_t room = at[0] < 0 ? scratch : widths[at[0]];
        if (at[1] < 0 || at[1] > room || at[2] < 1 || at[2] > room - at[1]) return false;
        p.registers[i] = {int(at[0]), at[1] * p.item};
        register_widths[i] = at[2];
    }
    for (int64_t i = 0; i < steps; i++, at += 4) {
        const int64_t code = at[0], a = at[1], b = at[2], out = at[3];
        if (a < 0 || a >= registers || b < -1 || b >= registers || out < 0 || out >= registers) return false;
        const int64_t width = register_widths[out];
        const int to = p.registers[out].array;
        if (to >= 0 && (to < written || modes[to] != ROWS || p.sources[to].rows)) return false;
        unsigned scalars = 0;
        for (int k = 0; k < 2; k++) {
            const int64_t in = k ? b : a;
            if (in < 0) continue;
            const int array = p.registers[in].array;
            if (array >= 0 && modes[array] == NUMBER) scalars |= 1u << k;
            else if (register_widths[in] != width) return false;
        }
        RowChoice chosen;
        if (code > 0) {
            chosen = b < 0 ? unary_row(int(code), type) : binary_row(int(code), type);
            if (!chosen.row || is_compare(int(code)) || is_test(int(code))) return false;
        } else if ((code != COPY && code != ZERO) || b >= 0 || scalars) {
            return false;
        }
        p.work += CHEAP / chosen.cost * width;
        p.steps[i] = {chosen.row, int(code), int(a), int(b), int(out), scalars, width};
    }
    return true;
}

void run_rows(const Program& p, int64_t begin, int64_t end) {
    std::vector<char> scratch(size_t(p.scratch) + 64);
    std::vector<char*> at(p.registers.size());
    char* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
    for (int64_t row = begin; row < end; row++) {
        for (size_t i = 0; i < at.size(); i++) {
            const Register& r = p.registers[i];
            if (r.array < 0) {
                at[i] = aligned + r.offset;
            } else {
                const Source& s = p.sources[r.array];
                at[i] = s.data + (s.rows ? s.rows[row] : row) * s.stride + r.offset;
            }
        }
        for (const Step& s : p.steps) {
            if (s.code > 0) {
                const char* in[2] = {at[s.a], s.b < 0 ? nullptr : at[s.b]};
                s.row(s.width, at[s.out], in, s.scalars, nullptr);
            } else if (s.code == COPY) {
                std::memcpy(at[s.out], at[s.a], size_t(s.width) * size_t(p.item));
            } else {
                std::memset(at[s.out], 0, size_t(s.width) * size_t(p.item));
            }
        }
    }
}

}  // namespace

// chain(numbers, rows, array, its rows or None, ...): runs the program that `decode` reads for each of so many rows;
// the last arrays are written to. True, or None where it isn't taken (nothing has been written then).
KERNEL(chain) {
    Array numbers;
    Program p;
    if (n < 4 || !view_of(args[0], numbers) || !read_one(args[1], p.rows) || p.rows < 0 ||
        !decode(numbers, args + 2, n - 2, p))
        return not_taken();
    {
        Unlocked gil(p.rows * p.work);
        parallel(p.rows, std::max<int64_t>(1, CHEAP / std::max<int64_t>(1, p.work)),
                 [&](int64_t begin, int64_t end) { run_rows(p, begin, end); });
    }
    Py_RETURN_TRUE;
}

}  // namespace weft
