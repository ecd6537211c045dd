// Products at the border: matrices and stacks of them, and layers; half types are read as they lie and summed in float.
#include <atomic>

#include "border.h"
#include "gemm.h"
#include "tables.h"

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
    const Epilogue<T> e{false, bias ? bias.as<T>() : nullptr, nullptr};
    const int64_t work = m * n * k;
    bool enough = true;
    {
        Unlocked gil(count * work);
        const auto one = [&](int64_t i) {
            gemm<T>(m, n, k, {stack_item<T>(a, shape, dims, i), x.row, x.column},
                    {stack_item<T>(b, shape, dims, i), y.row, y.column}, out + i * m * n, n, e);
        };
        try {
            if (count == 1) one(0);
            else if (count >= host->threads() && count * work > 100000 && work < 20000000) {
                std::atomic<bool> failed{false};
                parallel(count, std::max<int64_t>(1, 100000 / std::max<int64_t>(work, 1)),
                         [&](int64_t from, int64_t to) {
                    try {
                        for (int64_t i = from; i < to; i++) one(i);
                    } catch (const std::bad_alloc&) { failed = true; }
                });
                enough = !failed;
            } else for (int64_t i = 0; i < count; i++) one(i);
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
        const Matrix<T> w = matrix_of<T>(weight, true);
        try {
            gemm<T>(m, n, k, {x.as<T>(), k, 1}, w, data_of<T>(made), n,
                    {false, bias ? bias.as<T>() : nullptr, nullptr});
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
