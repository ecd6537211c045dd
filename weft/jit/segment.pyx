# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""`Segment`: instructions of a plan that are nothing but kernel calls, run one after the other without touching Python.

What a kernel takes and gives stands in *cells*: the values of the graph, tensors from outside, constants, what lives
inside one instruction. The instructions are numbers, each cell named by its place; arguments are put before a kernel
as they stand there. `segment.py` is the plain twin, which has none.
"""
from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libcpp.vector cimport vector
from weft.kernels.native cimport binary, binary_into, strided, unary, unary_into, view

cimport numpy as cnp

cnp.import_array()

cdef extern from "Python.h":
    object PyList_New(Py_ssize_t n)
    void PyList_SET_ITEM(object items, Py_ssize_t i, object item)
    PyObject* list_item "PyList_GET_ITEM"(object items, Py_ssize_t i)
    Py_ssize_t Py_REFCNT(PyObject* x)
    object PyObject_Vectorcall(object callable, PyObject** args, size_t nargsf, PyObject* kwnames)

cdef enum:
    _MOST = 32
MOST = _MOST            # arguments of a kernel

# what a call is: its first number. The second: the number of its function, or the loop's code
KERNEL, ONE, TWO, VIEWED, STRIDED, PACKED, TUPLED, ONE_INTO, TWO_INTO = range(9)
cdef int _KERNEL = KERNEL, _ONE = ONE, _TWO = TWO, _VIEWED = VIEWED, _STRIDED = STRIDED, _PACKED = PACKED
cdef int _TUPLED = TUPLED, _ONE_INTO = ONE_INTO, _TWO_INTO = TWO_INTO


cdef class Segment:
    """code: call after call, each (what, which, n arguments, their cells, n results, their cells); begins: where the
    calls of each instruction begin; drops: the cells that are empty after each, one after the other, and where they
    begin.
    """
    cdef list functions
    cdef vector[int] code, begins, drops, drop_begins

    def __init__(self):
        self.functions = []
        self.begins.push_back(0)
        self.drop_begins.push_back(0)

    def add_call(self, int what, which, list args, list made):
        """One more call of the instruction that is being written."""
        if what == _KERNEL and len(args) > MOST:
            raise ValueError(f"a kernel with {len(args)} arguments, the most are {MOST}")
        self.code.push_back(what)
        if what == _KERNEL:
            self.functions.append(which)
            which = len(self.functions) - 1
        self.code.push_back(which)
        for cells in (args, made):
            self.code.push_back(len(cells))
            for cell in cells:
                self.code.push_back(cell)

    def end_instruction(self, list drops):
        """What was added since the last time is one instruction."""
        for cell in drops:
            self.drops.push_back(cell)
        self.begins.push_back(self.code.size())
        self.drop_begins.push_back(self.drops.size())

    def __len__(self):
        return <Py_ssize_t>self.begins.size() - 1

    cpdef int run(self, list cells, int start) except -2:
        """Run the instructions from `start` on; gives the first one that a kernel didn't take, or -1. Where one raises,
        its number stands in the last cell.
        """
        cdef int i, k, n = <int>self.begins.size() - 1
        for i in range(start, n):
            try:
                if not self.run_one(cells, i):
                    return i
            except BaseException:
                cells[len(cells) - 1] = i
                raise
            for k in range(self.drop_begins[i], self.drop_begins[i + 1]):
                cells[self.drops[k]] = None
        return -1

    cpdef object drop(self, list cells, int i):
        """Empty the cells that nobody reads after instruction i, which ran elsewhere."""
        cdef int k
        for k in range(self.drop_begins[i], self.drop_begins[i + 1]):
            cells[self.drops[k]] = None

    cdef bint run_one(self, list cells, int i) except -1:
        cdef int at = self.begins[i], end = self.begins[i + 1], n, n_made, k, what, which
        cdef int* args
        cdef int* into
        cdef object made
        while at < end:
            what, which, n = self.code[at], self.code[at + 1], self.code[at + 2]
            args = &self.code[at + 3]
            n_made = self.code[at + 3 + n]
            into = &self.code[at + 4 + n]
            at += 4 + n + n_made
            made = self.call(cells, what, which, args, n)
            if made is None or made is False:
                return False
            if n_made == 1 and type(made) is not tuple or what == _TUPLED:
                cells[into[0]] = made
                continue
            if type(made) is not tuple or PyTuple_GET_SIZE(made) != n_made:
                return False
            for k in range(n_made):
                cells[into[k]] = <object>PyTuple_GET_ITEM(made, k)
        return True

    cdef object call(self, list cells, int what, int which, int* args, int n):
        cdef PyObject* given[_MOST]
        cdef int k
        if what == _KERNEL:
            for k in range(n):
                given[k] = list_item(cells, args[k])
            return PyObject_Vectorcall(<object>PyList_GET_ITEM(self.functions, which), given, <size_t>n, NULL)
        if what >= _ONE_INTO:       # nobody reads the first argument afterwards
            given[0] = list_item(cells, args[0])
            if is_its_own(given[0]) and (unary_into(which, <object>given[0]) if what == _ONE_INTO else
                                         binary_into(which, <object>given[0], <object>PyList_GET_ITEM(cells, args[1]))):
                return <object>given[0]
            what = _ONE if what == _ONE_INTO else _TWO
        if what == _TWO:
            return binary(which, <object>PyList_GET_ITEM(cells, args[0]), <object>PyList_GET_ITEM(cells, args[1]))
        if what == _ONE:
            return unary(which, <object>PyList_GET_ITEM(cells, args[0]))
        if what == _VIEWED:
            return view(which, <object>PyList_GET_ITEM(cells, args[0]), <list>PyList_GET_ITEM(cells, args[1]))
        if what == _STRIDED:
            return strided(<object>PyList_GET_ITEM(cells, args[0]), <tuple>PyList_GET_ITEM(cells, args[1]),
                           <tuple>PyList_GET_ITEM(cells, args[2]), <object>PyList_GET_ITEM(cells, args[3]))
        return packed(cells, args, n, what == _TUPLED)


cdef bint is_its_own(PyObject* a) noexcept:
    """Whether an array has memory of its own, and only one cell holds it."""
    return Py_REFCNT(a) == 1 and cnp.PyArray_CheckExact(<object>a) and cnp.PyArray_BASE(<cnp.ndarray>a) == NULL \
        and cnp.PyArray_CHKFLAGS(<cnp.ndarray>a, cnp.NPY_ARRAY_OWNDATA | cnp.NPY_ARRAY_WRITEABLE)


cdef object packed(list cells, int* args, int n, bint as_tuple):
    """What stands in some cells, as a list or tuple."""
    cdef object items = PyList_New(n), item
    cdef int k
    for k in range(n):
        item = <object>PyList_GET_ITEM(cells, args[k])
        Py_INCREF(item)         # which PyList_SET_ITEM takes
        PyList_SET_ITEM(items, k, item)
    return tuple(items) if as_tuple else items
