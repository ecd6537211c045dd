// Depthwise convolutions: every target channel has one source channel. A few multiplications per element, so no
// matrices: the padded strip is read at each tap, a vector of neighbours at a time. Here job.channels and job.targets
// count those of all groups together.
#include "conv_pieces.h"

#include <atomic>

namespace weft {
namespace {

constexpr int64_t STRIP = 8192;         // elements of a plane that are worked on at a time

template <class T> struct Depthwise {
    static constexpr int64_t L = LANES<T>, WIDE = 4;
    const Job<T>& job;
    int64_t taps, planes;
    Pieces pieces;                  // of one channel of one image

    static int64_t wanted(const Job<T>& job) {
        const Axis &y = job.axis[1], &x = job.axis[2];
        return std::max<int64_t>(1, STRIP / std::max<int64_t>(1, job.axis[0].taps() * y.stride * x.stride * x.count)) *
               x.count;
    }
    explicit Depthwise(const Job<T>& job)
        : job(job),
          taps(job.axis[1].taps() * job.axis[2].taps()),
          planes(job.axis[0].taps()),
          pieces(job.axis[0], job.axis[1], job.axis[2], 1, wanted(job), 1) {}

    // one channel of one image as a job of its own, whose planes are the depth's taps
    Job<T> single() const {
        Job<T> one = job;
        one.images = one.channels = one.targets = 1;
        return one;
    }
    void aim(Job<T>& one, int64_t image, int64_t target) const {
        one.source = job.source + image * job.source_image + target / (job.targets / job.channels) * job.source_channel;
    }

    template <int V>
    static void lines(const T* base, const int64_t* offset, const T* weight, int64_t n, Vec<T> bias, T* to) {
        Vec<T> sum[V];
        for (int v = 0; v < V; v++) sum[v] = bias;
        for (int64_t k = 0; k < n; k++) {
            const T* from = base + offset[k];
            const Vec<T> w = splat<T>(weight[k]);
#pragma GCC unroll 4
            for (int v = 0; v < V; v++) sum[v] += w * load(from + v * L);
        }
        for (int v = 0; v < V; v++) store(to + v * L, sum[v]);
    }

    // nine taps, whose weights stay in registers, on all rows of a piece
    static void nine(const T* base, int64_t base_step, const int64_t* offset, const T* weight, T bias, int64_t rows,
                     int64_t columns, T* to, int64_t to_step) {
        Vec<T> w[9];
        int64_t at[9];
        for (int k = 0; k < 9; k++) { w[k] = splat<T>(weight[k]); at[k] = offset[k]; }
        const Vec<T> start = splat<T>(bias);
        for (int64_t r = 0; r < rows; r++, base += base_step, to += to_step)
            for (int64_t c = 0;;) {
                const T* from = base + c;
                Vec<T> sum[3] = {start, {}, {}};
#pragma GCC unroll 9
                for (int k = 0; k < 9; k++) sum[k / 3] += w[k] * load(from + at[k]);
                store(to + c, (sum[0] + sum[1]) + sum[2]);
                if (c + L >= columns) break;
                c = std::min(c + L, columns - L);       // the last vector overlaps the one before it
            }
    }

    static void line(const T* base, const int64_t* offset, const T* weight, int64_t n, T bias, int64_t columns, T* to,
                     int64_t step, T* temp) {
        const Vec<T> start = splat<T>(bias);
        int64_t c = 0;
        if (step == 1) {
            for (; c + WIDE * L <= columns; c += WIDE * L) lines<WIDE>(base + c, offset, weight, n, start, to + c);
            for (; c + L <= columns; c += L) lines<1>(base + c, offset, weight, n, start, to + c);
        }
        for (; c < columns; c += L) {
            lines<1>(base + c, offset, weight, n, start, temp);
            for (int64_t i = 0; i < std::min(L, columns - c); i++) to[(c + i) * step] = temp[i];
        }
    }

    bool run(Job<T>& one, int64_t image, int64_t target) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        aim(one, image, target);
        const int64_t k = planes * taps;
        for (int64_t i = 0; i < pieces.count; i++) {
            Piece p = pieces[i];
            const Source<T> source(one, p, planes, L);
            const int64_t strip_size = aligned<T>(source.copy_size(planes) + L);
            T* memory = static_cast<T*>(
                thread_buffer(size_t(strip_size + aligned<T>(k) + L) * sizeof(T) + size_t(k) * sizeof(int64_t), 2));
            if (!memory) return false;
            T *weight = memory + strip_size, *temp = weight + aligned<T>(k);
            int64_t* offset = reinterpret_cast<int64_t*>(temp + L);
            const T* base = source.load(0, planes, memory, offset);
            T* w = weight;
            for (int64_t kd : z.index)
                for (int64_t kh : y.index)
                    for (int64_t kw : x.index)
                        *w++ = job.weight[target * job.weight_m + (kd * job.kernel[1] + kh) * job.kernel[2] + kw];
            const T bias = job.bias ? job.bias[target] : T(0);
            for (int64_t s = 0; s < p.slices; s++) {
                const int64_t d = z.first + (p.slice + s) * z.step, base_step = y.stride * source.row_step,
                              to_step = y.step * job.target_size[2];
                const T* from = base + s * source.slice_step;
                T* to = job.target + image * job.target_image + target * job.target_channel +
                        (d * job.target_size[1] + y.first + p.row * y.step) * job.target_size[2] + x.first +
                        p.column * x.step;
                if (k == 9 && x.step == 1 && p.columns >= L)
                    nine(from, base_step, offset, weight, bias, p.rows, p.columns, to, to_step);
                else
                    for (int64_t r = 0; r < p.rows; r++)
                        line(from + r * base_step, offset, weight, k, bias, p.columns, to + r * to_step, x.step, temp);
            }
        }
        return true;
    }

    // dw of one target channel, added to sum[k]
    bool weigh(Job<T>& one, int64_t image, int64_t target, const T* gradient, double* sum) const {
        aim(one, image, target);
        const int64_t k = planes * taps;
        for (int64_t i = 0; i < pieces.count; i++) {
            Piece p = pieces[i];
            const Source<T> source(one, p, planes, 0);
            const int64_t strip_size = aligned<T>(source.copy_size(planes) + L);
            T* memory = static_cast<T*>(thread_buffer(size_t(strip_size) * sizeof(T) + size_t(k) * sizeof(int64_t), 2));
            if (!memory) return false;
            int64_t* offset = reinterpret_cast<int64_t*>(memory + strip_size);
            const T* base = source.load(0, planes, memory, offset);
            if (k == 9) weigh_taps<9>(p, source, base, offset, 9, gradient, sum);
            else for (int64_t first = 0; first < k; first += 8) {
                const int64_t n = std::min<int64_t>(8, k - first);
                if (n > 4) weigh_taps<8>(p, source, base, offset + first, n, gradient, sum + first);
                else weigh_taps<4>(p, source, base, offset + first, n, gradient, sum + first);
            }
        }
        return true;
    }

    template <int V>
    void weigh_taps(const Piece& p, const Source<T>& source, const T* base, const int64_t* offset, int64_t n,
                    const T* gradient, double* sum) const {
        const Axis &y = job.axis[1], &x = job.axis[2];
        Vec<T> part[V] = {};
        int64_t at[V];
        for (int v = 0; v < V; v++) at[v] = offset[std::min<int64_t>(v, n - 1)];
        for (int64_t s = 0; s < p.slices; s++)
            for (int64_t r = 0; r < p.rows; r++) {
                const T* from = base + s * source.slice_step + r * y.stride * source.row_step;
                const T* g = gradient + (((p.slice + s)) * y.count + p.row + r) * x.count + p.column;
                int64_t c = 0;
                for (; c + L <= p.columns; c += L) {
                    const Vec<T> gc = load(g + c);
#pragma GCC unroll 9
                    for (int v = 0; v < V; v++) part[v] += gc * load(from + at[v] + c);
                }
                if (c < p.columns) {
                    const Vec<T> gc = load_part(g + c, p.columns - c);
                    for (int v = 0; v < V; v++) part[v] += gc * load_part(from + at[v] + c, p.columns - c);
                }
            }
        for (int v = 0; v < n; v++) sum[v] += double(sum_lanes(part[v]));
    }
};

}  // namespace

template <class T> bool conv_depthwise(const Job<T>& job) {
    const int64_t size = job.axis[0].count * job.axis[1].count * job.axis[2].count;
    if (size * job.images * job.targets == 0) return true;
    const Depthwise<T> kernel(job);
    std::atomic<bool> enough{true};
    parallel(job.images * job.targets, std::max<int64_t>(1, 60000 / (size * std::max<int64_t>(job.taps(), 1))),
             [&](int64_t from, int64_t to) {
        try {
            Job<T> one = kernel.single();
            for (int64_t i = from; i < to; i++)
                if (!kernel.run(one, i / job.targets, i % job.targets)) enough = false;
        } catch (const std::bad_alloc&) { enough = false; }
    });
    return enough;
}

template <class T>
bool conv_depthwise_weight(const Job<T>& job, const T* gradient, int64_t gradient_image, int64_t gradient_channel,
                           T* dw) {
    const int64_t size = job.axis[0].count * job.axis[1].count * job.axis[2].count, k = job.taps();
    if (job.targets * k == 0) return true;
    const Depthwise<T> kernel(job);
    std::atomic<bool> enough{true};
    Scratch<double> sums(size_t(job.targets * k));
    parallel(job.targets, std::max<int64_t>(1, 60000 / (size * k * std::max<int64_t>(job.images, 1) + 1)),
             [&](int64_t from, int64_t to) {
        try {
            Job<T> one = kernel.single();
            for (int64_t m = from; m < to; m++) {
                double* sum = sums + m * k;
                std::fill(sum, sum + k, 0.0);
                for (int64_t n = 0; n < job.images && size; n++)
                    if (!kernel.weigh(one, n, m, gradient + n * gradient_image + m * gradient_channel, sum))
                        enough = false;
                for (int64_t i = 0; i < k; i++) dw[m * k + i] = T(sum[i]);
            }
        } catch (const std::bad_alloc&) { enough = false; }
    });
    return enough;
}

template bool conv_depthwise<float>(const Job<float>&);
template bool conv_depthwise<double>(const Job<double>&);
template bool conv_depthwise_weight<float>(const Job<float>&, const float*, int64_t, int64_t, float*);
template bool conv_depthwise_weight<double>(const Job<double>&, const double*, int64_t, int64_t, double*);

}  // namespace weft
