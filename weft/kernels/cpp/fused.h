// A chain of elementwise functions in one pass: a small machine whose registers are tiles of the nearest cache, and
// whose instructions are the rows of pointwise_ops.h. So what it gives has the very bits that the functions give one
// after the other, and only the chain's inputs and results go through memory. Of half types the tiles hold floats,
// which are rounded after each function, as the functions themselves do it.
#pragma once
#include "pointwise_rows.h"

namespace weft::fused {

constexpr int MOST_INPUTS = 16, MOST_STEPS = 64, MOST_TILES = 12, MOST_RESULTS = 12, MOST_OPERANDS = 4;
constexpr int64_t TILES_BYTES = MOST_TILES * 512 * 8;

// An input against the results: one number for each row, or a row; and how far it is from row to row.
struct Input {
    const char* data;
    int item;                           // bytes of an element
    bool single;
    intptr_t stride[MAX_DIMS];          // by the dimensions outside of a row
};

struct Step {
    RowChoice chosen;                   // of a chain of half types: that of float
    int operands, in[MOST_OPERANDS], out;
    bool truth;                         // the result is bool
    bool picks;                         // the result is one of the operands, but for its sign, or 0
    bool rounds;                        // of a chain of half types: the result must be rounded to its type
};

struct Program {
    int type, nd, inputs, steps, tiles, results;
    intptr_t shape[MAX_DIMS];
    int64_t size = 1, row = 1;          // elements of all, and of a row, in which every input lies evenly
    int outer = 0;                      // dimensions outside of a row
    intptr_t length[MAX_DIMS];
    Input in[MOST_INPUTS];
    unsigned numbers = 0;               // bit i: input i of a chain of half types is one float, not rounded to its type
    Step step[MOST_STEPS];
    int kind[MOST_RESULTS];             // types of results
    int instead[MOST_RESULTS];          // the input whose memory a result may take, or -1
    char* made[MOST_RESULTS];           // null for one that is not kept: `run_row` is told where it goes
    bool floats_last = false;           // wanted, and of half types: the last result goes out as floats
    bool streamed = false;              // results are made in tiles and then sent past the caches
    int64_t tile;                       // elements of a tile
    int64_t work() const;               // of one element, in cheap functions
};

// numbers: [inputs, steps, tiles, results, nd, shape..., (code, a, b, c, d, out)..., instead...]; an operand is the
// number of an input, then of a tile, then of a result, or -1. The last part may be left out. Where it says that a
// result may take an input's memory, nobody reads that input afterwards, and no step reads it after the one that makes
// the result. False for what it doesn't take: rows that are too short to gain, operands of a wrong type.
bool read_program(const Array& numbers, const Array* in, int n, Program& p);

// New arrays for the first n results, or inputs that a result may take, added to a tuple; false if there is no memory.
bool make_results(Program& p, const Array* in, int n, PyObject* tuple);

// Elements from..from + n of row number r. tiles: TILES_BYTES, aligned; last: where the last result goes, if that isn't
// kept.
void run_row(const Program& p, int64_t r, int64_t from, int64_t n, char* tiles, char* last);

}  // namespace weft::fused
