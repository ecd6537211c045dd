// Products at the border: matrices and stacks of them, and layers; half types are read as they lie and summed in float.
#include <atomic>

#include "border.h"
#include "gemm.h"
#include "tables.h"
#include "widen.h"

namespace weft {
namespace {

// (m x k) @ (k x n) of two matrices or equal stacks of them, strides of any kind but multiples of the element
template <class T> bool fits(const Array& a) {
    for (int d = 0; d < a.nd; d++)
        if (a.stride[d] % intptr_t(sizeof(T))) return false;
    return true;
}

template <class T> Matrix<T> matrix_of(const Array& a, bool turned) {
    const int64_t row = a.stride[a.nd - 2] / intptr_t(sizeof(T)), column = a.stride[a.nd - 1] / intptr_t(sizeof(T));
    return turned ? Matrix<T>{a.as<T>(), column, row} : Matrix<T>{a.as<T>(), row, column};
}

// the offset of matrix `index` in a stack of shape `shape` (nd - 2 dims), whose own dims may be 1 (repeated)
template <class T> const T* stack_item(const Array& a, const intptr_t* shape, int dims, int64_t index) {
    const char* at = a.data;
    const int own = a.nd - 2;
    for (int d = dims - 1; d >= 0; d--) {
        const int64_t i = index % shape[d];
        index /= shape[d];
        const int e = d - (dims - own);
        if (e >= 0 && a.shape[e] != 1) at += i * a.stride[e];
    }
    return reinterpret_cast<const T*>(at);
}

// Elements in a row as floats, and floats in a row as what is stored.
inline void widen(const Half* x, float* to, int64_t n) { floats_of_halves(&x->word, to, n); }
inline void widen(const Bfloat* x, float* to, int64_t n) { floats_of_bfloats(&x->word, to, n); }
inline void narrow(const float* x, Half* to, int64_t n) { halves_of_floats(x, &to->word, n); }
inline void narrow(const float* x, Bfloat* to, int64_t n) { bfloats_of_floats(x, &to->word, n); }

// A matrix of a half type in floats, in the order in which it lies.
template <class S> Matrix<float> widened(Matrix<S> x, int64_t rows, int64_t columns, float* to) {
    const bool turned = x.row == 1 && x.column != 1;
    if (turned) { std::swap(rows, columns); std::swap(x.row, x.column); }
    parallel(rows, std::max<int64_t>(1, 65536 / columns), [&](int64_t from, int64_t until) {
        for (int64_t i = from; i < until; i++) {
            const S* row = x.data + i * x.row;
            if (x.column == 1) widen(row, to + i * columns, columns);
            else for (int64_t j = 0; j < columns; j++) to[i * columns + j] = value_of(row[j * x.column]);
        }
    });
    return turned ? Matrix<float>{to, 1, columns} : Matrix<float>{to, columns, 1};
}

// c (m x n, contiguous) = a @ b + bias. Of half types the sums are floats, rounded once at the end.
template <class S>
void one_product(int64_t m, int64_t n, int64_t k, Matrix<S> a, Matrix<S> b, S* c, const S* bias) {
    if constexpr (std::is_floating_point_v<S>) gemm<S>(m, n, k, a, b, c, n, {false, bias, nullptr});
    else {
        if (m == 0 || n == 0) return;
        Workspace memory(size_t(m * k + m * n + n + 64) * sizeof(float));
        if (!memory) throw std::bad_alloc();
        float *wide_a = memory.cut<float>(m * k), *sums = memory.cut<float>(m * n), *wide_bias = memory.cut<float>(n);
        if (bias) widen(bias, wide_bias, n);
        const Matrix<float> x = k ? widened(a, m, k, wide_a) : Matrix<float>{wide_a, k, 1};
        gemm<float, S>(m, n, k, x, b, sums, n, {false, bias ? wide_bias : nullptr, nullptr});
        parallel(m * n, 65536, [&](int64_t from, int64_t to) { narrow(sums + from, c + from, to - from); });
    }
}

template <class T> PyObject* product(const Array& a, const Array& b, bool a_turned, bool b_turned, const Array& bias) {
    if (!fits<T>(a) || !fits<T>(b) || a.nd < 2 || b.nd < 2) return not_taken();
    const int64_t m = a.shape[a.nd - 2 + a_turned], k = a.shape[a.nd - 1 - a_turned], n = b.shape[b.nd - 1 - b_turned];
    if (b.shape[b.nd - 2 + b_turned] != k) return not_taken();
    if (bias && (bias.nd != 1 || bias.shape[0] != n || !bias.contiguous || bias.type != a.type)) return not_taken();
    intptr_t shape[MAX_DIMS];
    const int nd = std::max(a.nd, b.nd), dims = nd - 2;
    int64_t count = 1;
    for (int d = 0; d < dims; d++) {
        const intptr_t x = d - (nd - a.nd) >= 0 ? a.shape[d - (nd - a.nd)] : 1,
                       y = d - (nd - b.nd) >= 0 ? b.shape[d - (nd - b.nd)] : 1;
        if (x != y && x != 1 && y != 1) return not_taken();
        shape[d] = x == 1 ? y : x;
        count *= shape[d];
    }
    shape[nd - 2] = m;
    shape[nd - 1] = n;
    PyObject* made = new_array(nd, shape, a.type);
    if (!made) return nullptr;
    T* out = data_of<T>(made);
    const Matrix<T> x = matrix_of<T>(a, a_turned), y = matrix_of<T>(b, b_turned);
    const double work = double(m) * double(n) * double(k);
    bool enough = true;
    {
        Unlocked gil(int64_t(std::min(double(count) * work, 1e9)));
        const auto some = [&](int64_t from, int64_t to) {
            for (int64_t i = from; i < to; i++)
                one_product<T>(m, n, k, {stack_item<T>(a, shape, dims, i), x.row, x.column},
                               {stack_item<T>(b, shape, dims, i), y.row, y.column}, out + i * m * n,
                               bias ? bias.as<T>() : nullptr);
        };
        // members share the threads out among them, unless they are few and large
        const bool apart = count >= 4 * host->threads() || (count >= host->threads() && work < 4e6);
        try {
            if (count > 1 && apart) parallel(count, int64_t(1e6 / std::max(work, 1.0)) + 1, some);
            else some(0, count);
        } catch (const std::bad_alloc&) { enough = false; }
    }
    if (enough) return made;
    Py_DECREF(made);
    return PyErr_NoMemory();
}

}  // namespace

static PyObject* product_of(const Array& a, const Array& b, bool a_turned, bool b_turned, const Array& bias) {
    if (a.type != b.type) return not_taken();
    if (a.type == F32) return product<float>(a, b, a_turned, b_turned, bias);
    if (a.type == F64) return product<double>(a, b, a_turned, b_turned, bias);
    if (a.type == F16) return product<Half>(a, b, a_turned, b_turned, bias);
    if (a.type == BF16) return product<Bfloat>(a, b, a_turned, b_turned, bias);
    return not_taken();
}

// matmul(a, b, a_turned, b_turned, bias or None): a @ b, either read as its transpose, plus a row; matrices or stacks
// of them
KERNEL(matmul) {
    Array a, b, bias;
    bool a_turned, b_turned;
    if (!read(args, n, a, b, a_turned, b_turned, bias) || !a || !b) return not_taken();
    return product_of(a, b, a_turned, b_turned, bias);
}

// product_into(a, b, out): out = a @ b, matrices, in the memory of `out`, which is neither's; True if it was done
KERNEL(product_into) {
    Array a, b, out;
    if (!read(args, n, a, b, out) || !a || !b || !out || a.nd != 2 || b.nd != 2 || out.nd != 2) return not_taken();
    if (a.type != b.type || a.type != out.type || !out.contiguous) return not_taken();
    if (!PyArray_ISWRITEABLE(out.object)) return not_taken();
    if (a.shape[1] != b.shape[0] || out.shape[0] != a.shape[0] || out.shape[1] != b.shape[1]) return not_taken();
    const auto run = [&]<class T>(T) -> PyObject* {
        if (!fits<T>(a) || !fits<T>(b)) return not_taken();
        try {
            Unlocked gil(out.size * a.shape[1]);
            one_product<T>(a.shape[0], b.shape[1], a.shape[1], matrix_of<T>(a, false), matrix_of<T>(b, false),
                           out.as<T>(), nullptr);
        } catch (const std::bad_alloc&) { return PyErr_NoMemory(); }
        Py_RETURN_TRUE;
    };
    if (a.type == F32) return run(float());
    if (a.type == F64) return run(double());
    return not_taken();
}

// linear(x, weight, bias or None): x (..., k) @ weight (n, k)^T + bias (n); x contiguous, its leading dims go through
// as rows
template <class T> static PyObject* linear_of(const Array& x, const Array& weight, const Array& bias) {
    if (x.nd < 1 || !x.contiguous || weight.nd != 2 || weight.type != x.type || !fits<T>(weight)) return not_taken();
    const int64_t k = x.shape[x.nd - 1], n = weight.shape[0], m = k ? x.size / k : 0;
    if (weight.shape[1] != k || k == 0) return not_taken();
    if (bias && (bias.type != x.type || bias.nd != 1 || bias.shape[0] != n || !bias.contiguous)) return not_taken();
    intptr_t shape[MAX_DIMS];
    std::copy(x.shape, x.shape + x.nd - 1, shape);
    shape[x.nd - 1] = n;
    PyObject* made = new_array(x.nd, shape, x.type);
    if (!made) return nullptr;
    bool enough = true;
    {
        Unlocked gil(m * n * k);
        try {
            one_product<T>(m, n, k, {x.as<T>(), k, 1}, matrix_of<T>(weight, true), data_of<T>(made),
                           bias ? bias.as<T>() : nullptr);
        } catch (const std::bad_alloc&) { enough = false; }
    }
    if (enough) return made;
    Py_DECREF(made);
    return PyErr_NoMemory();
}

KERNEL(linear) {
    Array x, weight, bias;
    if (!read(args, n, x, weight, bias) || !x || !weight) return not_taken();
    if (x.type == F32) return linear_of<float>(x, weight, bias);
    if (x.type == F64) return linear_of<double>(x, weight, bias);
    if (x.type == F16) return linear_of<Half>(x, weight, bias);
    if (x.type == BF16) return linear_of<Bfloat>(x, weight, bias);
    return not_taken();
}

static PyObject* matmul_quick(PyObject* a, PyObject* b, bool a_turned, bool b_turned) {
    Array x, y;
    if (!view_of(a, x) || !view_of(b, y) || x.nd != y.nd || x.nd < 2) return not_taken();
    for (int d = 0; d < x.nd - 2; d++) if (x.shape[d] != y.shape[d]) return not_taken();
    // so large a result may not fit in memory: the general road then says so in the user's terms
    if (double(x.size) * double(y.shape[y.nd - 1 - b_turned]) /
            double(std::max<int64_t>(1, x.shape[x.nd - 1 - a_turned])) >
        268435456.0)
        return not_taken();
    return product_of(x, y, a_turned, b_turned, Array());
}
static const ProductTable products = {matmul_quick};
static Export products_export("_products", &products);

}  // namespace weft
