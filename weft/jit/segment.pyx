# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""`Segment`: instructions of a plan that are nothing but kernel calls, run one after the other without touching Python.

What a kernel takes and gives stands in *cells*: the values of the graph, tensors from outside, constants, what lives
inside one instruction. The instructions are numbers, each cell named by its place; arguments are put before a kernel
as they stand there. `segment.py` is the plain twin, which has none.

Once it is known what each call makes (`notes`), values have their places in a `Block` (`places.placed`): their arrays
stand in the cells for good, a kernel is *offered* those of its results (cpp/offers.h), views of them are made
beforehand. Where a kernel makes something else after all, the block is *loose* for the rest of the run: cells hold what
was made, and views are made as they come.
"""
from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector
from weft.kernels import fast
from weft.kernels.native cimport binary, binary_into, copy_into, strided, unary, unary_into, view

cimport numpy as cnp

cnp.import_array()

cdef extern from *:
    """
    static void weft_set_data(PyObject* a, char* data) { ((PyArrayObject_fields*)a)->data = data; }
    static PyObject* weft_without_memory(PyArray_Descr* type, int nd, npy_intp* shape, npy_intp* strides) {
        alignas(64) static char nothing[64];
        Py_INCREF(type);
        return PyArray_NewFromDescr(&PyArray_Type, type, nd, shape, strides, nothing, NPY_ARRAY_WRITEABLE, NULL);
    }
    """
    void set_data "weft_set_data"(PyObject* a, char* data)
    object new_without_memory "weft_without_memory"(cnp.dtype type, int nd, cnp.npy_intp* shape, cnp.npy_intp* strides)

cdef extern from "Python.h":
    object PyList_New(Py_ssize_t n)
    void PyList_SET_ITEM(object items, Py_ssize_t i, object item)
    PyObject* list_item "PyList_GET_ITEM"(object items, Py_ssize_t i)
    Py_ssize_t Py_REFCNT(PyObject* x)
    object PyObject_Vectorcall(object callable, PyObject** args, size_t nargsf, PyObject* kwnames)

cdef extern from "../kernels/cpp/offers.h" namespace "weft":
    cdef cppclass Offers:
        PyObject** next
        Py_ssize_t left
        vector[void*]* noted

ctypedef Offers* (*OwnOffers)()
cdef OwnOffers own_offers = NULL
if fast.base is not None:
    own_offers = <OwnOffers>PyCapsule_GetPointer(fast.base.offers, "weft.offers")

cdef enum:
    _MOST = 32
MOST = _MOST            # arguments of a kernel

# what a call is: its first number. The second: the number of its function, or the loop's code
KERNEL, ONE, TWO, VIEWED, STRIDED, PACKED, TUPLED, ONE_INTO, TWO_INTO, COPIED = range(10)
cdef int _KERNEL = KERNEL, _ONE = ONE, _TWO = TWO, _VIEWED = VIEWED, _STRIDED = STRIDED, _PACKED = PACKED
cdef int _TUPLED = TUPLED, _ONE_INTO = ONE_INTO, _TWO_INTO = TWO_INTO, _COPIED = COPIED
cdef int MADE_BEFORE = 64       # added to what a view is whose array stands in its cell already


def lowest_places(list sizes, list begins, list ends):
    """(the place of each of some pieces of memory, the end of the last): pieces that are there at the same time, from
    begins[i] to ends[i], don't overlap. Large ones first, each as low as it can lie.
    """
    cdef Py_ssize_t n = len(sizes), i, j, k, at, end = 0
    cdef vector[Py_ssize_t] size = sizes, begin = begins, last = ends, place
    cdef vector[pair[Py_ssize_t, Py_ssize_t]] order, taken
    cdef vector[Py_ssize_t] done
    place.resize(n)
    for i in range(n):
        order.push_back(pair[Py_ssize_t, Py_ssize_t](-size[i], i))
    sort(order.begin(), order.end())
    for k in range(n):
        i = order[k].second
        taken.clear()
        for j in done:
            if begin[j] <= last[i] and begin[i] <= last[j]:
                taken.push_back(pair[Py_ssize_t, Py_ssize_t](place[j], place[j] + size[j]))
        sort(taken.begin(), taken.end())
        at = 0
        for j in range(<Py_ssize_t>taken.size()):
            if taken[j].first - at >= size[i]:
                break
            at = max(at, taken[j].second)
        place[i] = at
        end = max(end, at + size[i])
        done.push_back(i)
    return list(place), end


cdef class Block:
    """The memory of a plan's values, of `size` bytes, there while the plan runs. arrays: what lies in it, each at one
    of `offsets`; loose: in this run not all is where it was planned.
    """
    cdef public Py_ssize_t size
    cdef public bint loose
    cdef list arrays
    cdef vector[Py_ssize_t] offsets
    cdef char* start
    cdef object memory

    def __init__(self, size):
        self.size, self.arrays = size, []

    def array(self, tuple shape, cnp.dtype dtype, tuple strides, Py_ssize_t offset):
        """An array at an offset, which has memory while the plan runs."""
        made = without_memory(dtype, shape, strides)
        self.arrays.append(made)
        self.offsets.push_back(offset)
        return made

    cpdef object enter(self):
        """Take the memory. One run at a time (`Plan.busy`)."""
        cdef char* start
        cdef Py_ssize_t i
        self.memory = fast.base.empty((self.size,), cnp.NPY_UINT8)
        self.loose = False
        start = <char*>cnp.PyArray_DATA(<cnp.ndarray>self.memory)
        if start != self.start:
            self.start = start
            for i in range(len(self.arrays)):
                set_data(<PyObject*>PyList_GET_ITEM(self.arrays, i), start + self.offsets[i])

    cpdef object leave(self):
        self.memory = None

    def give_up(self):
        """Whoever has one of the arrays, such as an error's traceback, keeps the memory."""
        for made in self.arrays:
            cnp.set_array_base(made, self.memory)

    cpdef bint holds(self, cnp.ndarray a):
        """Whether an array lies in this memory."""
        cdef char* at = <char*>cnp.PyArray_DATA(a)
        return self.start <= at < self.start + self.size


cdef class Segment:
    """code: call after call, each (what, which, where its offers begin, how many, n arguments, their cells, n results,
    their cells); begins: where the calls of each instruction begin; drops: the cells that are empty after each, one
    after the other, and where they begin. notes: while it is a list, each call adds (instruction, its place in the
    code, cells of arguments, of results, what results are, which of them is each new array or -1).
    """
    cdef list functions
    cdef vector[int] code, begins, drops, drop_begins
    cdef vector[PyObject*] offered          # null: memory from the cache. The block holds the arrays
    cdef Block block
    cdef public list notes

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
        self.code.push_back(0)
        self.code.push_back(0)
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

    def what(self, int at):
        """What the call at this place of the code is."""
        return self.code[at]

    def offer(self, int at, Block block, list arrays):
        """What the call at this place of the code is offered, array after array that it makes; None: nothing."""
        self.block = block
        if self.code[at] == _ONE_INTO or self.code[at] == _TWO_INTO:        # where that is to be is planned
            self.code[at] -= _ONE_INTO - _ONE
        self.code[at + 2] = <int>self.offered.size()
        self.code[at + 3] = len(arrays)
        for array in arrays:
            self.offered.push_back(<PyObject*>NULL if array is None else <PyObject*>array)

    def make_before(self, int at, Block block):
        """The view that the call at this place of the code makes stands in its cell."""
        self.block = block
        self.code[at] += MADE_BEFORE

    def never_drop(self, set cells):
        """These cells keep their arrays."""
        cdef vector[int] drops, begins
        cdef size_t i, k
        begins.push_back(0)
        for i in range(self.drop_begins.size() - 1):
            for k in range(self.drop_begins[i], self.drop_begins[i + 1]):
                if self.drops[k] not in cells:
                    drops.push_back(self.drops[k])
            begins.push_back(drops.size())
        self.drops, self.drop_begins = drops, begins

    cpdef int run(self, list cells, int start) except -2:
        """Run the instructions from `start` on; gives the first one that a kernel didn't take, or -1. Where one raises,
        its number stands in the last cell.
        """
        return self.run_to(cells, start, <int>self.begins.size() - 1)

    cpdef int run_to(self, list cells, int start, int end) except -2:
        """The same, up to the instruction before `end`."""
        cdef int i, k
        cdef Offers* offers = own_offers()
        for i in range(start, end):
            try:
                if not self.run_one(cells, i, offers):
                    return i
            except BaseException:
                offers.left = 0
                offers.noted = NULL
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

    cdef bint run_one(self, list cells, int i, Offers* offers) except -1:
        cdef int at = self.begins[i], end = self.begins[i + 1], n, n_made, k, what, which, here
        cdef int* args
        cdef int* into
        cdef object made
        cdef vector[void*] noted
        while at < end:
            here = at
            what, which, n = self.code[at], self.code[at + 1], self.code[at + 4]
            args = &self.code[at + 5]
            n_made = self.code[at + 5 + n]
            into = &self.code[at + 6 + n]
            at += 6 + n + n_made
            if what >= MADE_BEFORE:
                if not self.block.loose:
                    continue
                what -= MADE_BEFORE
            if self.code[here + 3]:
                offers.next = &self.offered[self.code[here + 2]]
                offers.left = self.code[here + 3]
            elif self.notes is not None:
                noted.clear()
                offers.noted = &noted
            made = self.call(cells, what, which, args, n)
            offers.left = 0
            offers.noted = NULL
            if made is None or made is False:
                return False
            if n_made == 1 and type(made) is not tuple or what == _TUPLED:
                self.keep(cells, into[0], made, what)
            else:
                if type(made) is not tuple or PyTuple_GET_SIZE(made) != n_made:
                    return False
                for k in range(n_made):
                    self.keep(cells, into[k], <object>PyTuple_GET_ITEM(made, k), what)
            if self.notes is not None:
                self.note(cells, i, here, noted)
        return True

    cdef object keep(self, list cells, int k, object made, int what):
        """What was made stands in its cell. A result that a kernel put where another one was to be is moved away."""
        cdef PyObject* planned = list_item(cells, k)
        if planned == <PyObject*>made:
            return
        if self.block is not None:
            if planned != <PyObject*>None:
                self.block.loose = True
            if what <= _TWO and cnp.PyArray_CheckExact(made) and self.block.holds(made):
                made = made.copy()
        cells[k] = made

    cdef object note(self, list cells, int i, int here, vector[void*]& noted):
        """Remember what a call made, and how that lies."""
        cdef int n = self.code[here + 4], n_made = self.code[here + 5 + n], k
        cdef list made = [self.code[here + 6 + n + k] for k in range(n_made)]
        cdef list arrays = [cells[k] for k in made], found = []
        cdef size_t j
        cdef int which
        for j in range(noted.size()):
            which = -1
            for k in range(n_made):
                if <void*>PyList_GET_ITEM(arrays, k) == noted[j]:
                    which = k
            found.append(which)
        self.notes.append((i, here, [self.code[here + 5 + k] for k in range(n)], made,
                           [how_it_lies(a) for a in arrays], found))

    cdef object call(self, list cells, int what, int which, int* args, int n):
        cdef PyObject* given[_MOST]
        cdef int k
        # what is noted is made in new memory: an array that two hold is not written to
        cdef object held = packed(cells, args, n, False) if self.notes is not None else None
        if what == _KERNEL:
            for k in range(n):
                given[k] = list_item(cells, args[k])
            return PyObject_Vectorcall(<object>PyList_GET_ITEM(self.functions, which), given, <size_t>n, NULL)
        if what == _COPIED:
            return () if copy_into(<object>PyList_GET_ITEM(cells, args[0]), <object>PyList_GET_ITEM(cells, args[1])) \
                else None
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


cdef object without_memory(cnp.dtype dtype, tuple shape, tuple strides):
    """An array whose elements are nowhere yet."""
    cdef cnp.npy_intp dims[64]
    cdef cnp.npy_intp steps[64]
    cdef int d
    for d in range(len(shape)):
        dims[d], steps[d] = shape[d], strides[d]
    return new_without_memory(dtype, len(shape), dims, steps)


cdef object how_it_lies(object a):
    """(shape, type, strides, address, bytes) of an array; None for what is none."""
    if not cnp.PyArray_CheckExact(a):
        return None
    return a.shape, a.dtype, a.strides, <Py_ssize_t>cnp.PyArray_DATA(<cnp.ndarray>a), a.nbytes


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
