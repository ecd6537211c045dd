// Sums along one axis: each element of the result is a weighted sum of a few of x (interpolation, padding, and the way
// back of both), given as a sparse matrix in rows: row o has the entries starts[o] .. starts[o + 1] of (indices,
// weights). And blocks: unfold and fold.
#include <algorithm>
#include <cstring>

#include "border.h"
#include "vec.h"

namespace weft {
namespace {

constexpr int64_t WORK = 24576;

template <class T> struct Mixing {
    const int64_t *starts, *indices;
    const T* weights;       // null: all are 1
    int64_t from, to;       // lengths of the axis before and after

    // one result for each of the `inner` elements that stand beside each other
    void wide(const T* x, T* out, int64_t inner, int64_t o) const {
        constexpr int L = LANES<T>;
        const int64_t first = starts[o], last = starts[o + 1], count = last - first;
        if (count == 0) { std::fill_n(out, inner, T(0)); return; }
        const T* a = x + indices[first] * inner;
        const T wa = weights ? weights[first] : T(1);
        if (count == 1 && wa == T(1)) { std::memcpy(out, a, size_t(inner) * sizeof(T)); return; }
        int64_t i = 0;
        if (count == 2) {
            const T* b = x + indices[first + 1] * inner;
            const T wb = weights ? weights[first + 1] : T(1);
            for (; i + L <= inner; i += L) store<T>(out + i, load(a + i) * wa + load(b + i) * wb);
            for (; i < inner; i++) out[i] = a[i] * wa + b[i] * wb;
            return;
        }
        for (; i + L <= inner; i += L) {
            Vec<T> sum{};
            for (int64_t j = first; j < last; j++)
                sum += load(x + indices[j] * inner + i) * (weights ? weights[j] : T(1));
            store<T>(out + i, sum);
        }
        for (; i < inner; i++) {
            T sum = 0;
            for (int64_t j = first; j < last; j++) sum += x[indices[j] * inner + i] * (weights ? weights[j] : T(1));
            out[i] = sum;
        }
    }
    // a whole line, for inner 1
    void line(const T* x, T* out, int64_t each) const {
        if (each == 1 && !weights) { for (int64_t o = 0; o < to; o++) out[o] = x[indices[o]]; return; }
        if (each == 1) { for (int64_t o = 0; o < to; o++) out[o] = x[indices[o]] * weights[o]; return; }
        if (each == 2 && !weights) {
            for (int64_t o = 0; o < to; o++) out[o] = x[indices[2 * o]] + x[indices[2 * o + 1]];
            return;
        }
        if (each == 2 && weights) {
            for (int64_t o = 0; o < to; o++)
                out[o] = x[indices[2 * o]] * weights[2 * o] + x[indices[2 * o + 1]] * weights[2 * o + 1];
            return;
        }
        if (each == 4 && weights) {
            for (int64_t o = 0; o < to; o++) {
                const int64_t* k = indices + 4 * o;
                const T* w = weights + 4 * o;
                out[o] = (x[k[0]] * w[0] + x[k[1]] * w[1]) + (x[k[2]] * w[2] + x[k[3]] * w[3]);
            }
            return;
        }
        for (int64_t o = 0; o < to; o++) {
            T sum = 0;
            for (int64_t j = starts[o]; j < starts[o + 1]; j++)
                sum += weights ? x[indices[j]] * weights[j] : x[indices[j]];
            out[o] = sum;
        }
    }
    // Stretches of the axis that are taken as they are, of every row's first entry, then of every second one, ...: a
    // padding has few.
    struct Run { int64_t at, from, length; bool first; };
    int64_t find_runs(Run* runs, int64_t most) const {
        int64_t count = 0, longest = 0;
        for (int64_t o = 0; o < to; o++) {
            if (starts[o + 1] == starts[o]) return 0;
            longest = std::max(longest, starts[o + 1] - starts[o]);
        }
        for (int64_t k = 0; k < longest; k++)
            for (int64_t o = 0; o < to; o++) {
                if (starts[o + 1] - starts[o] <= k) continue;
                const int64_t source = indices[starts[o] + k];
                Run* last = count ? runs + count - 1 : nullptr;
                if (last && last->first == (k == 0) && last->at + last->length == o &&
                    last->from + last->length == source) {
                    last->length++;
                    continue;
                }
                if (count == most) return 0;
                runs[count++] = {o, source, 1, k == 0};
            }
        return count;
    }
    void copy_runs(const T* x, T* out, const Run* runs, int64_t count) const {
        for (int64_t r = 0; r < count; r++) {
            const T* source = x + runs[r].from;
            T* target = out + runs[r].at;
            if (runs[r].first) for (int64_t i = 0; i < runs[r].length; i++) target[i] = source[i];
            else for (int64_t i = 0; i < runs[r].length; i++) target[i] += source[i];
        }
    }
    void run(const T* x, T* out, int64_t outer, int64_t inner) const {
        if (inner == 1 && !weights) {
            constexpr int64_t MOST = 64;
            Run runs[MOST];
            const int64_t count = find_runs(runs, std::min(MOST, to / 4));
            if (count) {
                parallel(outer, std::max<int64_t>(1, WORK / std::max(from, to)), [&](int64_t begin, int64_t end) {
                    for (int64_t r = begin; r < end; r++) copy_runs(x + r * from, out + r * to, runs, count);
                });
                return;
            }
        }
        if (inner == 1) {
            int64_t each = to ? starts[1] : 0;      // how many entries each row has, 0 when they differ
            for (int64_t o = 0; o < to && each; o++) if (starts[o + 1] - starts[o] != each) each = 0;
            parallel(outer, std::max<int64_t>(1, WORK / std::max<int64_t>(1, starts[to])),
                     [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; r++) line(x + r * from, out + r * to, each);
            });
            return;
        }
        parallel(outer * to, std::max<int64_t>(1, WORK / inner), [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; r++) wide(x + r / to * from * inner, out + r * inner, inner, r % to);
        });
    }
};

bool integers(const Array& a) { return a && a.type == I64 && a.nd == 1 && a.contiguous; }

}  // namespace

// (x, axis, starts, indices, weights or None) -> x with `axis` replaced by as many sums as there are rows
KERNEL(mix_axis) {
    Array x, starts, indices, weights;
    int64_t axis;
    if (!read(args, n, x, axis, starts, indices, weights) || (x.type != F32 && x.type != F64) || !x.contiguous ||
        axis < 0 || axis >= x.nd || !integers(starts) || !integers(indices) || starts.size < 1)
        return not_taken();
    if (weights && (weights.type != x.type || !weights.contiguous || weights.size != indices.size)) return not_taken();
    const int64_t from = x.shape[axis], to = starts.size - 1;
    const int64_t *s = starts.as<int64_t>(), *k = indices.as<int64_t>();
    bool good = s[0] == 0 && s[to] == indices.size;
    for (int64_t i = 0; i < to; i++) good &= s[i] <= s[i + 1];
    for (int64_t i = 0; i < indices.size; i++) good &= uint64_t(k[i]) < uint64_t(from);
    if (!good) return not_taken();
    int64_t outer = 1, inner = 1;
    intptr_t shape[MAX_DIMS];
    for (int i = 0; i < x.nd; i++) {
        shape[i] = i == axis ? intptr_t(to) : x.shape[i];
        if (i < axis) outer *= x.shape[i];
        if (i > axis) inner *= x.shape[i];
    }
    PyObject* out = new_array(x.nd, shape, x.type);
    if (!out) return nullptr;
    if (outer == 0 || inner == 0 || to == 0) return out;
    Unlocked gil(outer * inner * to);
    if (x.type == F32)
        Mixing<float>{s, k, weights.as<float>(), from, to}.run(x.as<float>(), data_of<float>(out), outer, inner);
    else Mixing<double>{s, k, weights.as<double>(), from, to}.run(x.as<double>(), data_of<double>(out), outer, inner);
    return out;
}

namespace {

struct Blocks {     // of an image (height, width): for each place of the kernel a plane (out_height, out_width)
    int64_t height, width, kernel[2], dilation[2], padding[2], stride[2], out[2];
    bool of(const Ints& size, const Ints& k, const Ints& d, const Ints& p, const Ints& s) {
        if (size.count != 2 || k.count != 2 || d.count != 2 || p.count != 2 || s.count != 2) return false;
        height = size[0];
        width = size[1];
        if (height < 0 || width < 0 || height > (1 << 30) || width > (1 << 30)) return false;
        for (int i = 0; i < 2; i++) {
            kernel[i] = k[i]; dilation[i] = d[i]; padding[i] = p[i]; stride[i] = s[i];
            if (k[i] < 1 || d[i] < 1 || p[i] < 0 || s[i] < 1 || k[i] > (1 << 20) || d[i] > (1 << 20) ||
                p[i] > (1 << 20) || s[i] > (1 << 20))
                return false;
            const int64_t room = size[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1;
            if (room < 0) return false;
            out[i] = room / s[i] + 1;
        }
        return true;
    }
    int64_t places() const { return kernel[0] * kernel[1]; }
    int64_t plane() const { return out[0] * out[1]; }
    // the columns o for which o * stride + at is inside the image
    void inside(int64_t at, int64_t& begin, int64_t& end) const {
        begin = at >= 0 ? 0 : (-at + stride[1] - 1) / stride[1];
        end = at >= width ? 0 : std::min(out[1], (width - 1 - at) / stride[1] + 1);
        begin = std::min(begin, out[1]);
        end = std::max(begin, end);
    }
};

template <class T> void unfold_image(const T* image, T* columns, const Blocks& b) {
    for (int64_t place = 0; place < b.places(); place++) {
        const int64_t y0 = place / b.kernel[1] * b.dilation[0] - b.padding[0],
                      x0 = place % b.kernel[1] * b.dilation[1] - b.padding[1];
        int64_t begin, end;
        b.inside(x0, begin, end);
        for (int64_t r = 0; r < b.out[0]; r++) {
            T* to = columns + place * b.plane() + r * b.out[1];
            const int64_t y = r * b.stride[0] + y0;
            if (y < 0 || y >= b.height) { std::fill_n(to, b.out[1], T(0)); continue; }
            const T* from = image + y * b.width + x0;
            std::fill_n(to, begin, T(0));
            if (b.stride[1] == 1) std::copy(from + begin, from + end, to + begin);
            else for (int64_t o = begin; o < end; o++) to[o] = from[o * b.stride[1]];
            std::fill(to + end, to + b.out[1], T(0));
        }
    }
}

template <class T> void fold_image(const T* columns, T* image, const Blocks& b) {
    std::fill_n(image, b.height * b.width, T(0));
    for (int64_t place = 0; place < b.places(); place++) {
        const int64_t y0 = place / b.kernel[1] * b.dilation[0] - b.padding[0],
                      x0 = place % b.kernel[1] * b.dilation[1] - b.padding[1];
        int64_t begin, end;
        b.inside(x0, begin, end);
        for (int64_t r = 0; r < b.out[0]; r++) {
            const int64_t y = r * b.stride[0] + y0;
            if (y < 0 || y >= b.height) continue;
            const T* from = columns + place * b.plane() + r * b.out[1];
            T* to = image + y * b.width + x0;
            if (b.stride[1] == 1) for (int64_t o = begin; o < end; o++) to[o] += from[o];
            else for (int64_t o = begin; o < end; o++) to[o * b.stride[1]] += from[o];
        }
    }
}

}  // namespace

// (x (n, c, h, w), kernel, dilation, padding, stride) -> (n, c * places, blocks)
KERNEL(unfold_blocks) {
    Array x;
    Ints kernel, dilation, padding, stride, size;
    Blocks b;
    if (!read(args, n, x, kernel, dilation, padding, stride) || (x.type != F32 && x.type != F64) || !x.contiguous ||
        x.nd != 4)
        return not_taken();
    size.count = 2;
    size.value[0] = x.shape[2];
    size.value[1] = x.shape[3];
    if (!b.of(size, kernel, dilation, padding, stride)) return not_taken();
    const intptr_t shape[] = {x.shape[0], intptr_t(x.shape[1] * b.places()), intptr_t(b.plane())};
    PyObject* out = new_array(3, shape, x.type);
    if (!out) return nullptr;
    const int64_t images = x.shape[0] * x.shape[1], each = b.places() * b.plane();
    Unlocked gil(images * each);
    parallel(images, std::max<int64_t>(1, WORK / std::max<int64_t>(1, each)), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            if (x.type == F32) unfold_image(x.as<float>() + i * b.height * b.width, data_of<float>(out) + i * each, b);
            else unfold_image(x.as<double>() + i * b.height * b.width, data_of<double>(out) + i * each, b);
        }
    });
    return out;
}

// (columns (n, c * places, blocks), size (h, w), kernel, dilation, padding, stride) -> (n, c, h, w): the blocks added
// up
KERNEL(fold_blocks) {
    Array x;
    Ints size, kernel, dilation, padding, stride;
    Blocks b;
    if (!read(args, n, x, size, kernel, dilation, padding, stride) || (x.type != F32 && x.type != F64) ||
        !x.contiguous || x.nd != 3 || !b.of(size, kernel, dilation, padding, stride) || x.shape[1] % b.places() ||
        x.shape[2] != b.plane())
        return not_taken();
    const intptr_t shape[] = {x.shape[0], intptr_t(x.shape[1] / b.places()), intptr_t(b.height), intptr_t(b.width)};
    PyObject* out = new_array(4, shape, x.type);
    if (!out) return nullptr;
    const int64_t images = shape[0] * shape[1], each = b.places() * b.plane();
    Unlocked gil(images * each);
    parallel(images, std::max<int64_t>(1, WORK / std::max<int64_t>(1, each)), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            if (x.type == F32) fold_image(x.as<float>() + i * each, data_of<float>(out) + i * b.height * b.width, b);
            else fold_image(x.as<double>() + i * each, data_of<double>(out) + i * b.height * b.width, b);
        }
    });
    return out;
}

}  // namespace weft
