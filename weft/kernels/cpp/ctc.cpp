// CTC: the sum over all alignments of a label sequence with the time steps, forwards (alpha) and backwards (beta), in
// logarithms.
//
// The labels are written with blanks around them, _ a _ b _ (2S + 1 places). A place is reached from itself, from the
// one before, and over a blank from the label before that if it is another one. Vectors run along the places; samples
// go to different threads.
#include <algorithm>

#include "border.h"
#include "vecmath.h"

namespace weft {
namespace {

// log(x) for x in [1, 3], the sums of one to three terms of which the greatest is 1
template <class V> inline V log_of_few(V x) {
    using T = Element<V>;
    const Mask<V> twice = x > T(1.41421356), four = x > T(2.82842712);
    V shift = select(twice, splat<T>(T(0.69314718055994530942)), splat<T>(T(0)));
    shift = select(four, splat<T>(T(1.38629436111989061883)), shift);
    x = select(four, x * T(0.25), select(twice, x * T(0.5), x));
    const V z = (x - T(1)) / (x + T(1)), square = z * z;       // |z| <= 0.172: log(x) = 2 (z + z^3/3 + z^5/5 + ...)
    constexpr int TERMS = sizeof(T) == 4 ? 5 : 11;
    V sum = splat<T>(T(1.0 / (2 * TERMS + 1)));
    for (int i = TERMS - 1; i >= 0; i--) sum = sum * square + T(1.0 / (2 * i + 1));
    return shift + T(2) * z * sum;
}

// log(e^a + e^b + e^c); -inf when all are
template <class V> inline V log_add(V a, V b, V c) {
    using T = Element<V>;
    const T none = -std::numeric_limits<T>::infinity();
    const V top = vmax(vmax(a, b), c), base = select(top == none, splat<T>(0), top);
    const V sum = vexp<V>(a - base) + vexp<V>(b - base) + vexp<V>(c - base);
    return select(top == none, top, base + log_of_few<V>(sum));
}

// One sample's labels with blanks, and for each place whether the label two before is another one (0) or not (-inf)
template <class T> struct Sample {
    int64_t places, steps;
    const int64_t* label;
    const T* skip;
};

// room: elements of one row of places, with PAD before and behind
struct Sizes { int64_t T, N, C, S, blank, room; };

constexpr int PAD = 64;

inline int64_t room_for(int64_t S) { return 2 * S + 1 + 2 * PAD; }

template <class T>
Sample<T> prepare(const Sizes& z, const int64_t* targets, int64_t steps, int64_t length, int64_t* label, T* skip) {
    const T none = -std::numeric_limits<T>::infinity();
    std::fill(label, label + z.room, z.blank);
    std::fill(skip, skip + z.room, none);
    for (int64_t i = 0; i < length; i++) label[2 * i + 1] = targets[i];
    for (int64_t s = 3; s < 2 * length + 1; s += 2)
        if (label[s] != label[s - 2]) skip[s] = 0;
    return {2 * length + 1, steps, label, skip};
}

template <class T> void log_probs_of(const Sample<T>& sample, const T* row, T* into) {
    for (int64_t s = 0; s < sample.places; s++) into[s] = row[sample.label[s]];
}

// alpha: (T, 2S + 1) or null; rows: two rows of `room` to work in, `emit` another. Gives -log of the probability.
template <class T> T forwards(const Sizes& z, const Sample<T>& sample, const T* probs, T* alpha, T* rows, T* emit) {
    const T none = -std::numeric_limits<T>::infinity();
    const int64_t n = sample.places, width = 2 * z.S + 1;
    if (sample.steps == 0) return n == 1 ? T(0) : -none;
    std::fill(rows, rows + 2 * z.room, none);
    T *before = rows + PAD, *now = rows + z.room + PAD;
    now[0] = probs[z.blank];
    if (n > 1) now[1] = probs[sample.label[1]];
    for (int64_t t = 0; t < sample.steps; t++) {
        if (t) {
            std::swap(before, now);
            log_probs_of(sample, probs + t * z.N * z.C, emit);
            for (int64_t s = 0; s < n; s += LANES<T>) {
                const Vec<T> sum = log_add<Vec<T>>(load(before + s), load(before + s - 1),
                                                   load(before + s - 2) + load(sample.skip + s));
                store(now + s, sum + load(emit + s));
            }
            std::fill(now + n, now + n + LANES<T>, none);       // what the last vector wrote beyond
        }
        if (alpha) std::memcpy(alpha + t * width, now, size_t(n) * sizeof(T));
    }
    return -log_add<Vec<T>>(splat<T>(now[n - 1]), splat<T>(n > 1 ? now[n - 2] : none), splat<T>(none))[0];
}

// The gradient of one sample's loss: e^log_prob minus the probability that a step stands at a label, times g
template <class T>
void backwards(const Sizes& z, const Sample<T>& sample, const T* probs, const T* alpha, T loss, T g, T* grad, T* rows,
               T* emit) {
    const T none = -std::numeric_limits<T>::infinity();
    const int64_t n = sample.places, width = 2 * z.S + 1;
    std::fill(rows, rows + 3 * z.room, none);
    T *after = rows + PAD, *now = rows + z.room + PAD, *share = rows + 2 * z.room + PAD;
    for (int64_t t = sample.steps - 1; t >= 0; t--) {
        log_probs_of(sample, probs + t * z.N * z.C, emit);
        if (t == sample.steps - 1) {
            now[n - 1] = emit[n - 1];
            if (n > 1) now[n - 2] = emit[n - 2];
        } else {
            std::swap(after, now);
            for (int64_t s = 0; s < n; s += LANES<T>) {
                const Vec<T> sum = log_add<Vec<T>>(load(after + s), load(after + s + 1),
                                                   load(after + s + 2) + load(sample.skip + s + 2));
                store(now + s, sum + load(emit + s));
            }
            std::fill(now + n, now + n + LANES<T>, none);
        }
        for (int64_t s = 0; s < n; s++) share[s] = alpha[t * width + s];
        for (int64_t s = 0; s < n; s += LANES<T>) {
            const Vec<T> a = load(share + s), b = load(now + s);
            const Mask<Vec<T>> nowhere = (a == none) | (b == none);
            store(share + s, select(nowhere, splat<T>(0), vexp<Vec<T>>(a + b + loss - load(emit + s))));
        }
        T* to = grad + t * z.N * z.C;
        const T* from = probs + t * z.N * z.C;
        int64_t c = 0;
        for (; c + LANES<T> <= z.C; c += LANES<T>) store(to + c, vexp<Vec<T>>(load(from + c)) * g);
        if (c < z.C) store_part(to + c, Vec<T>(vexp<Vec<T>>(load_part(from + c, z.C - c)) * g), z.C - c);
        for (int64_t s = 0; s < n; s++) to[sample.label[s]] -= g * share[s];
    }
}

struct Given {
    Array probs, targets, steps, lengths;
    Sizes z;
    bool valid(int64_t blank) {
        for (Array* a : {&probs, &targets, &steps, &lengths})
            if (!*a || !a->contiguous) return false;
        if ((probs.type != F32 && probs.type != F64) || probs.nd != 3 || targets.type != I64 || targets.nd != 2 ||
            steps.type != I64 || steps.nd != 1 || lengths.type != I64 || lengths.nd != 1)
            return false;
        z = {probs.shape[0], probs.shape[1], probs.shape[2], targets.shape[1], blank, 0};
        z.room = room_for(z.S);
        if (blank < 0 || blank >= z.C || targets.shape[0] != z.N || steps.shape[0] != z.N || lengths.shape[0] != z.N)
            return false;
        for (int64_t i = 0; i < z.N; i++)
            if (steps.as<int64_t>()[i] < 0 || steps.as<int64_t>()[i] > z.T || lengths.as<int64_t>()[i] < 0 ||
                lengths.as<int64_t>()[i] > z.S)
                return false;
        for (int64_t i = 0; i < targets.size; i++)
            if (uint64_t(targets.as<int64_t>()[i]) >= uint64_t(z.C)) return false;
        return true;
    }
};

// each(sample number, labels, skips, rows, emit) on the threads; the scratch of a task is its own
template <class T, class F> void for_samples(const Given& given, F&& each) {
    const Sizes& z = given.z;
    const int64_t work = z.T * (2 * z.S + 1) * 8;
    const int64_t pieces = std::clamp<int64_t>(z.N * work / 24000, 1, std::min<int64_t>(std::max<int64_t>(z.N, 1), 64));
    Scratch<int64_t> labels(size_t(pieces * z.room));
    Scratch<T> floats(size_t(pieces * 5 * z.room));
    int64_t* label = labels;
    T* room = floats;
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t i = z.N * piece / pieces; i < z.N * (piece + 1) / pieces; i++) {
            T* mine = room + piece * 5 * z.room;
            const Sample<T> sample = prepare<T>(z, given.targets.as<int64_t>() + i * z.S, given.steps.as<int64_t>()[i],
                                                given.lengths.as<int64_t>()[i], label + piece * z.room, mine);
            std::fill(mine + z.room, mine + 2 * z.room, T(0));
            each(i, sample, mine + 2 * z.room, mine + z.room);
        }
    });
}

template <class T> void losses(const Given& given, T* loss, T* alpha) {
    const Sizes z = given.z;
    if (alpha) std::fill(alpha, alpha + z.N * z.T * (2 * z.S + 1), -std::numeric_limits<T>::infinity());
    for_samples<T>(given, [&](int64_t i, const Sample<T>& sample, T* rows, T* emit) {
        loss[i] = forwards<T>(z, sample, given.probs.as<T>() + i * z.C,
                              alpha ? alpha + i * z.T * (2 * z.S + 1) : nullptr, rows, emit);
    });
}

template <class T>
void gradients(const Given& given, const T* g, const T* loss, const T* alpha, bool zero_infinity, T* grad) {
    const Sizes z = given.z;
    for_samples<T>(given, [&](int64_t i, const Sample<T>& sample, T* rows, T* emit) {
        const bool impossible = loss[i] == std::numeric_limits<T>::infinity();
        const T wrong = zero_infinity ? T(0) : std::numeric_limits<T>::quiet_NaN();
        for (int64_t t = impossible ? 0 : sample.steps; t < z.T; t++)
            std::fill(grad + (t * z.N + i) * z.C, grad + (t * z.N + i + 1) * z.C, t < sample.steps ? wrong : T(0));
        if (!impossible)
            backwards<T>(z, sample, given.probs.as<T>() + i * z.C, alpha + i * z.T * (2 * z.S + 1), loss[i], g[i],
                         grad + i * z.C, rows, emit);
    });
}

}  // namespace

// ctc(log_probs (T, N, C), targets (N, S), steps (N), lengths (N), blank, keep): (losses (N), alpha (N, T, 2S + 1), or
// (0, 0, 0) without keep)
KERNEL(ctc) {
    Given given;
    int64_t blank;
    bool keep;
    if (!read(args, n, given.probs, given.targets, given.steps, given.lengths, blank, keep) || !given.valid(blank))
        return not_taken();
    const Sizes& z = given.z;
    const intptr_t one[] = {z.N}, all[] = {keep ? z.N : 0, keep ? z.T : 0, keep ? 2 * z.S + 1 : 0};
    PyObject *loss = new_array(1, one, given.probs.type), *alpha = new_array(3, all, given.probs.type);
    if (loss && alpha) {
        Unlocked gil(z.N * z.T * (2 * z.S + 1) * 8);
        if (given.probs.type == F32) losses<float>(given, data_of<float>(loss), keep ? data_of<float>(alpha) : nullptr);
        else losses<double>(given, data_of<double>(loss), keep ? data_of<double>(alpha) : nullptr);
    }
    return results({loss, alpha});
}

// ctc_grad(g (N), log_probs, targets, steps, lengths, losses, alpha, blank, zero_infinity): the gradient (T, N, C)
KERNEL(ctc_grad) {
    Given given;
    Array g, loss, alpha;
    int64_t blank;
    bool zero_infinity;
    if (!read(args, n, g, given.probs, given.targets, given.steps, given.lengths, loss, alpha, blank, zero_infinity) ||
        !given.valid(blank))
        return not_taken();
    const Sizes& z = given.z;
    for (const Array* a : {&g, &loss, &alpha})
        if (!*a || !a->contiguous || a->type != given.probs.type) return not_taken();
    if (g.nd != 1 || g.shape[0] != z.N || loss.nd != 1 || loss.shape[0] != z.N || alpha.nd != 3 ||
        alpha.shape[0] != z.N || alpha.shape[1] != z.T || alpha.shape[2] != 2 * z.S + 1)
        return not_taken();
    PyObject* grad = new_array(given.probs);
    if (!grad) return nullptr;
    Unlocked gil(given.probs.size * 8);
    if (given.probs.type == F32)
        gradients<float>(given, g.as<float>(), loss.as<float>(), alpha.as<float>(), zero_infinity,
                         data_of<float>(grad));
    else
        gradients<double>(given, g.as<double>(), loss.as<double>(), alpha.as<double>(), zero_infinity,
                          data_of<double>(grad));
    return grad;
}

}  // namespace weft
