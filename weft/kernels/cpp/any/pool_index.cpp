// Values moved by their places in a plane, and windows that start where a table says (fractional pooling).
#include <atomic>

#include "pool.h"

namespace weft {
namespace {
using namespace pooling;

bool in_range(const int64_t* index, int64_t n, int64_t size) {
    std::atomic<bool> good{true};
    const int64_t pieces = pieces_for(n, 1);
    run_tasks(pieces, [&](int64_t piece) {
        bool wrong = false;
        for (int64_t i = n * piece / pieces; i < n * (piece + 1) / pieces; i++)
            wrong |= uint64_t(index[i]) >= uint64_t(size);
        if (wrong) good.store(false, std::memory_order_relaxed);
    });
    return good.load();
}

// into (planes, size) is zero but for the values (planes, n) at their places; with `sum` those of one place are added,
// else the last one stays
template <class T>
void scatter(const T* x, const int64_t* index, T* into, int64_t planes, int64_t n, int64_t size, bool sum) {
    const int64_t pieces = pieces_for(planes, n * 3 + size);
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t p = planes * piece / pieces; p < planes * (piece + 1) / pieces; p++) {
            T* to = into + p * size;
            std::fill(to, to + size, T(0));
            if (sum) for (int64_t i = p * n; i < (p + 1) * n; i++) to[index[i]] += x[i];
            else for (int64_t i = p * n; i < (p + 1) * n; i++) to[index[i]] = x[i];
        }
    });
}

template <class T> void gather(const T* x, const int64_t* index, T* out, int64_t planes, int64_t n, int64_t size) {
    const int64_t pieces = pieces_for(planes, n * 2);
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t p = planes * piece / pieces; p < planes * (piece + 1) / pieces; p++)
            for (int64_t i = p * n; i < (p + 1) * n; i++) out[i] = x[p * size + index[i]];
    });
}

template <class T>
void max_from(const T* x, const int64_t* const* starts, const int64_t* sizes, const int64_t* outs,
              const int64_t* kernel, int64_t planes, T* values, int64_t* indices) {
    const int64_t out = outs[0] * outs[1] * outs[2], in = sizes[0] * sizes[1] * sizes[2];
    const int64_t pieces = pieces_for(planes, out * kernel[0] * kernel[1] * kernel[2]);
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t p = planes * piece / pieces; p < planes * (piece + 1) / pieces; p++) {
            const T* plane = x + p * in;
            for (int64_t o = 0; o < out; o++) {
                const int64_t d = starts[0][p * outs[0] + o / (outs[1] * outs[2])],
                              h = starts[1][p * outs[1] + o / outs[2] % outs[1]],
                              w = starts[2][p * outs[2] + o % outs[2]];
                T best = -std::numeric_limits<T>::infinity();
                int64_t place = (d * sizes[1] + h) * sizes[2] + w;
                for (int64_t kd = d; kd < d + kernel[0]; kd++)
                    for (int64_t kh = h; kh < h + kernel[1]; kh++)
                        for (int64_t kw = w; kw < w + kernel[2]; kw++) {
                            const int64_t at = (kd * sizes[1] + kh) * sizes[2] + kw;
                            if (plane[at] > best || plane[at] != plane[at]) { best = plane[at]; place = at; }
                        }
                values[p * out + o] = best;
                indices[p * out + o] = place;
            }
        }
    });
}

int64_t product(const Array& a, int from, int to) {
    int64_t made = 1;
    for (int d = from; d < to; d++) made *= a.shape[d];
    return made;
}

bool same_shape(const Array& a, const Array& b) { return a.nd == b.nd && std::equal(a.shape, a.shape + a.nd, b.shape); }
bool is_float(const Array& a) { return a && a.contiguous && (a.type == F32 || a.type == F64); }

}  // namespace

// plane_scatter(x, indices, dims, sizes, sum): x's last `dims` dimensions go to their places in planes of `sizes`; None
// for a place that isn't there
KERNEL(plane_scatter) {
    Array x, index;
    int64_t dims;
    Ints sizes;
    bool sum;
    if (!read(args, n, x, index, dims, sizes, sum) || !is_float(x) || !index || !index.contiguous ||
        index.type != I64 || !same_shape(x, index))
        return not_taken();
    if (dims < 1 || dims > x.nd || sizes.count < 1 || x.nd - dims + sizes.count > MAX_DIMS) return not_taken();
    intptr_t shape[MAX_DIMS];
    int64_t size = 1, whole;
    const int lead = x.nd - int(dims);
    for (int d = 0; d < lead; d++) shape[d] = x.shape[d];
    for (int d = 0; d < sizes.count; d++) {
        if (sizes[d] < 0 || __builtin_mul_overflow(size, sizes[d], &size)) return not_taken();
        shape[lead + d] = sizes[d];
    }
    const int64_t planes = product(x, 0, lead), each = product(x, lead, x.nd);
    if (__builtin_mul_overflow(size, planes * 8, &whole) || !in_range(index.as<int64_t>(), x.size, size))
        return not_taken();
    PyObject* into = new_array(lead + sizes.count, shape, x.type);
    if (!into) return nullptr;
    Unlocked gil(planes * size);
    if (x.type == F32)
        scatter<float>(x.as<float>(), index.as<int64_t>(), data_of<float>(into), planes, each, size, sum);
    else scatter<double>(x.as<double>(), index.as<int64_t>(), data_of<double>(into), planes, each, size, sum);
    return into;
}

// plane_gather(x, indices, dims): the elements at their places in x's last `dims` dimensions
KERNEL(plane_gather) {
    Array x, index;
    int64_t dims;
    if (!read(args, n, x, index, dims) || !is_float(x) || !index || !index.contiguous || index.type != I64)
        return not_taken();
    const int lead = x.nd - int(dims);
    if (dims < 1 || lead < 0 || index.nd != x.nd || !std::equal(x.shape, x.shape + lead, index.shape))
        return not_taken();
    const int64_t planes = product(x, 0, lead), size = product(x, lead, x.nd), each = product(index, lead, index.nd);
    if (!in_range(index.as<int64_t>(), index.size, size)) return not_taken();
    PyObject* out = new_array(index.nd, index.shape, x.type);
    if (!out) return nullptr;
    Unlocked gil(index.size);
    if (x.type == F32) gather<float>(x.as<float>(), index.as<int64_t>(), data_of<float>(out), planes, each, size);
    else gather<double>(x.as<double>(), index.as<int64_t>(), data_of<double>(out), planes, each, size);
    return out;
}

// max_pool_from(x (planes, d, h, w), d starts, h starts, w starts (planes, out), kernel): (values, indices) of windows
// of one size
KERNEL(max_pool_from) {
    Array x, start[3];
    Ints kernel;
    if (!read(args, n, x, start[0], start[1], start[2], kernel) || !is_float(x) || x.nd != 4 || kernel.count != 3)
        return not_taken();
    intptr_t shape[4] = {x.shape[0], 0, 0, 0};
    const int64_t* starts[3];
    int64_t sizes[3], outs[3];
    for (int a = 0; a < 3; a++) {
        sizes[a] = x.shape[a + 1];
        if (kernel[a] < 0 || kernel[a] > sizes[a] || !start[a] || !start[a].contiguous || start[a].type != I64 ||
            start[a].nd != 2 || start[a].shape[0] != x.shape[0] ||
            !in_range(start[a].as<int64_t>(), start[a].size, sizes[a] - kernel[a] + 1))
            return not_taken();
        starts[a] = start[a].as<int64_t>();
        outs[a] = shape[a + 1] = start[a].shape[1];
    }
    PyObject *values = new_array(4, shape, x.type), *indices = new_array(4, shape, I64);
    if (values && indices) {
        Unlocked gil(x.shape[0] * outs[0] * outs[1] * outs[2] * 4);
        if (x.type == F32)
            max_from<float>(x.as<float>(), starts, sizes, outs, kernel.value, x.shape[0], data_of<float>(values),
                            data_of<int64_t>(indices));
        else
            max_from<double>(x.as<double>(), starts, sizes, outs, kernel.value, x.shape[0], data_of<double>(values),
                             data_of<int64_t>(indices));
    }
    return results({values, indices});
}

}  // namespace weft
