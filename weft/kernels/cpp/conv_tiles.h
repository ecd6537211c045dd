// The tiles of a Winograd convolution: MY x MX outputs each, counted through rows, planes and slices; and the images
// under them, of a vector of channels at a time.
#pragma once
#include "conv_pieces.h"
#include "conv_winograd.h"

namespace weft::winograd {

// neighbouring tiles of one row of tiles; a slice is an image, or a depth of one
struct Band { int64_t slice, row, column, count; };

// All tiles, band by band, a row of tiles each, or even parts of it of at most `most`.
struct Bands {
    int64_t down, across, parts, count, tiles;
    Bands(const Job<float>& job, int64_t down, int64_t across, int64_t most)
        : down(down), across(across), parts((across + most - 1) / most),
          count(job.images * job.axis[0].count * down * parts),
          tiles(job.images * job.axis[0].count * down * across) {}
    Band operator[](int64_t i) const {
        const int64_t line = i / parts, from = across * (i % parts) / parts, to = across * (i % parts + 1) / parts;
        return {line / down, line % down, from, to - from};
    }
    int64_t first(int64_t i) const { return i / parts * across + across * (i % parts) / parts; }    // tile of a band
    int64_t longest() const { return (across + parts - 1) / parts; }
};

// null outside of the source's depth
inline const float* plane_at(const Job<float>& job, int64_t slice, int64_t channel, int64_t tap) {
    const Axis& z = job.axis[0];
    const int64_t d = slice % z.count * z.stride + z.offset[size_t(tap)];
    if (d < 0 || d >= z.source) return nullptr;
    return job.source + slice / z.count * job.source_image + channel * job.source_channel +
           d * job.axis[1].source * job.axis[2].source;
}

// A part of some planes beside each other: strip[row][column][lane], a lane for each plane, by transposing squares.
// What lies outside of the planes is zeros (after `clear`); a vector at the end is where goes what no row has.
struct Window {
    int64_t rows = 0, columns = 0;          // of the strip, whose first element is (row_low, column_low) of the planes
    int64_t pieces = 0, length = 0, step = 0, from = 0;     // of each plane: `pieces` runs, `step` apart
    std::vector<int32_t> place;             // in the strip, of each element of all runs
    int64_t key[8] = {-1, -1, -1, -1, -1, -1, -1, -1};

    int64_t size() const { return (rows * columns + 1) * L; }

    // `exact`: no run may have elements that the strip hasn't
    void set(int64_t row_low, int64_t rows_, int64_t column_low, int64_t columns_, int64_t height, int64_t width,
             bool exact) {
        const int64_t top = std::max<int64_t>(0, row_low), bottom = std::max(top, std::min(height, row_low + rows_)),
                      left = std::max<int64_t>(0, column_low),
                      right = std::max(left, std::min(width, column_low + columns_));
        // rows with what lies between them as one run
        const bool flat = exact ? right - left == width : 2 * (right - left) > width;
        const int64_t begin = flat ? 0 : left, end = flat ? width : right;
        rows = rows_;
        columns = columns_;
        from = top * width + begin;
        step = width;
        pieces = flat ? std::min<int64_t>(1, bottom - top) : bottom - top;
        length = flat ? (bottom - top) * (end - begin) : end - begin;
        const int64_t mine[8] = {top - row_low, bottom - top, column_low - begin, left - begin, right - begin,
                                 end - begin, columns, rows};
        if (std::equal(mine, mine + 8, key)) return;
        std::copy_n(mine, 8, key);
        place.clear();
        for (int64_t r = top; r < bottom; r++)
            for (int64_t c = begin; c < end; c++)
                place.push_back(int32_t(
                    (c < left || c >= right ? rows * columns : (r - row_low) * columns + c - column_low) * L));
    }

    void clear(float* strip) const { std::memset(strip, 0, size_t(size()) * sizeof(float)); }

    // the strip of `lanes` planes that are `plane_step` apart; asks for those that are `ahead` of them, the next ones
    void fill(const float* plane, int64_t lanes, int64_t plane_step, int64_t ahead, float* strip) const {
        if (length < L) fill_few(plane, lanes, plane_step, strip);
        else if (lanes < L) fill_squares<false>(plane, lanes, plane_step, ahead, strip);
        else fill_squares<true>(plane, lanes, plane_step, ahead, strip);
    }

    // and back, for a window that is `exact`
    void spill(const float* strip, int64_t lanes, int64_t plane_step, float* plane) const {
        if (length < L) spill_few(strip, lanes, plane_step, plane);
        else if (lanes < L) spill_squares<false>(strip, lanes, plane_step, plane);
        else spill_squares<true>(strip, lanes, plane_step, plane);
    }

    // asks for the planes' memory, to which a strip is about to be spilled
    void ask(const float* plane, int64_t lanes, int64_t plane_step) const {
        for (int64_t p = 0; p < pieces; p++)
            for (int64_t e = 0; e < length; e += 16)
                for (int64_t i = 0; i < lanes; i++)
                    __builtin_prefetch(plane + i * plane_step + from + p * step + e, 1, 2);
    }

private:
    // f(where in a plane, the places of the L elements from there on): the last ones reach back over others
    template <class F> [[gnu::always_inline]] void each_square(F&& f) const {
        for (int64_t p = 0; p < pieces; p++)
            for (int64_t e = 0; e < length; e += L) {
                const int64_t start = std::min(e, length - L);
                f(from + p * step + start, place.data() + p * length + start);
            }
    }

    template <bool WHOLE>
    void fill_squares(const float* plane, int64_t lanes, int64_t plane_step, int64_t ahead, float* strip) const {
        each_square([&](int64_t at, const int32_t* to) __attribute__((always_inline)) {
            // one address after the other: the compiler would keep all of them, in vectors' registers
            const float* line = plane + at;
            vf v[L];
#pragma GCC unroll 16
            for (int i = 0; i < L; i++, line += plane_step) {
                asm("" : "+r"(line));
                v[i] = WHOLE || i < lanes ? load(line) : vf{};
                __builtin_prefetch(line + ahead, 0, 2);
            }
            transpose_block<float>(v);
#pragma GCC unroll 16
            for (int i = 0; i < L; i++) store(strip + to[i], v[i]);
        });
    }

    template <bool WHOLE>
    void spill_squares(const float* strip, int64_t lanes, int64_t plane_step, float* plane) const {
        each_square([&](int64_t at, const int32_t* to) __attribute__((always_inline)) {
            vf v[L];
#pragma GCC unroll 16
            for (int i = 0; i < L; i++) v[i] = load(strip + to[i]);
            transpose_block<float>(v);
            float* line = plane + at;
#pragma GCC unroll 16
            for (int i = 0; i < L; i++, line += plane_step) {
                asm("" : "+r"(line));
                if (WHOLE || i < lanes) store(line, v[i]);
            }
        });
    }

    // the same where there are fewer elements than a vector has lanes
    void fill_few(const float* plane, int64_t lanes, int64_t plane_step, float* strip) const {
        for (int64_t p = 0; p < pieces; p++)
            for (int64_t e = 0; e < length; e++) {
                alignas(64) float line[L] = {};
                for (int64_t i = 0; i < lanes; i++) line[i] = plane[i * plane_step + from + p * step + e];
                store(strip + place[size_t(p * length + e)], load(line));
            }
    }
    void spill_few(const float* strip, int64_t lanes, int64_t plane_step, float* plane) const {
        for (int64_t p = 0; p < pieces; p++)
            for (int64_t e = 0; e < length; e++)
                for (int64_t i = 0; i < lanes; i++)
                    plane[i * plane_step + from + p * step + e] = strip[place[size_t(p * length + e)] + i];
    }
};

// One dimension of a scheme with M targets in a tile. tap[out][phase][i] is the kernel's index of the i-th tap of a
// phase of the source (of S, the stride) for a phase of the targets (of O), or -1. False if the dimension isn't of this
// kind: neighbouring taps, at most R in a phase, one phase has just R.
template <int M, int R, int S, int O> struct Side {
    int tap[O][S][R];
    int64_t low = 0, tiles = 0;         // the first source of the first tile; how many tiles there are
    int64_t first = 0, size = 0;        // the first target of the first tile (may be outside); how many targets
    int64_t place[O] = {};              // of each phase among O neighbouring targets

    Side() { for (auto& out : tap) for (auto& phase : out) for (int& t : phase) t = -1; }

    // the targets are the o's of the axis
    bool set(const Axis& a) {
        const int64_t n = a.taps();
        if (a.stride != S || n <= (R - 1) * S || n > R * S || a.high - a.low != n - 1 || a.count == 0) return false;
        for (size_t t = 0; t < size_t(n); t++)
            tap[0][(a.offset[t] - a.low) % S][(a.offset[t] - a.low) / S] = int(a.index[t]);
        low = a.low;
        size = a.count;
        tiles = (size + M - 1) / M;
        return true;
    }

    // the targets are those of `phases`, O axes, all `all` of them
    bool set(const Axis* phases, int64_t all) {
        static_assert(S == 1);
        int64_t most = 0;
        low = phases[0].low;
        for (int o = 0; o < O; o++) {
            const Axis& a = phases[o];
            if (a.stride != 1 || a.step != O || a.taps() < 1 || a.taps() > R || a.high - a.low != a.taps() - 1 ||
                a.count == 0)
                return false;
            for (size_t t = 0; t < size_t(a.taps()); t++) tap[o][0][a.offset[t] - a.low] = int(a.index[t]);
            most = std::max(most, a.taps());
            low = std::min(low, a.low);
        }
        size = all;
        first = phases[0].first - O * (phases[0].low - low);
        for (int o = 1; o < O; o++) first = std::min(first, phases[o].first - O * (phases[o].low - low));
        for (int o = 0; o < O; o++) {
            const Axis& a = phases[o];
            place[o] = a.first - O * (a.low - low) - first;
            if (place[o] >= O) return false;
            tiles = std::max(tiles, (a.count + a.low - low + M - 1) / M);
        }
        return most == R;
    }
};

template <class S> struct Sides {
    Side<S::MY, S::RY, S::SY, S::O> rows;
    Side<S::MX, S::RX, S::SX, S::O> columns;
    bool set(const Job<float>& job) { return rows.set(job.axis[1]) && columns.set(job.axis[2]); }
    const int* row_taps(int out, int phase) const { return rows.tap[out / S::O][phase / S::SX]; }
    const int* column_taps(int out, int phase) const { return columns.tap[out % S::O][phase % S::SX]; }
    // whether a phase has all its taps; at infinity the weights of the others are zero
    bool full(int out, int phase, int64_t point) const {
        if (S::PHASES * S::OUTS == 1) return true;
        return !(point / S::PX == S::PY - 1 && row_taps(out, phase)[S::RY - 1] < 0) &&
               !(point % S::PX == S::PX - 1 && column_taps(out, phase)[S::RX - 1] < 0);
    }
    Bands bands(const Job<float>& job, int64_t most) const { return Bands(job, rows.tiles, columns.tiles, most); }

    // what lies under a band: the points of each tile, of every phase
    void set_source(const Job<float>& job, const Band& b, Window& window) const {
        window.set(b.row * S::MY * S::SY + rows.low, S::PY * S::SY, b.column * S::MX * S::SX + columns.low,
                   ((b.count - 1) * S::MX + S::PX) * S::SX, job.axis[1].source, job.axis[2].source, false);
    }
    void set_target(const Band& b, Window& window) const {
        window.set(b.row * S::MY * S::O + rows.first, S::MY * S::O, b.column * S::MX * S::O + columns.first,
                   b.count * S::MX * S::O, rows.size, columns.size, true);
    }
};

}  // namespace weft::winograd
