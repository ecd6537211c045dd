from weft.batching.kinds cimport Kind

cdef struct Row:
    int start
    int first
    int level
    int depth
    int offset
    int place
    bint graph
    bint ran
    long long free
    unsigned long long key
    void* kind

cdef struct Cell:
    int of
    int made
    bint far
    Py_ssize_t row
    void* promise

cdef class Value:
    cdef public object owner
    cdef public Table table
    cdef public int number
    cdef public object array
    cdef public Py_hash_t form
    cdef public bint wants
    cdef public object made
    cdef public Py_ssize_t row
    cdef public object node
    cdef public Value cut
    cdef object __weakref__

cdef class Table:
    cdef public list places, outsides, mades, tapes
    cdef list kinds
    cdef public dict crossing
    cdef dict numbers
    cdef object code, module
    cdef public long serial
    cdef readonly int n, n_values, n_inputs
    cdef int room, room_values, room_inputs
    cdef Row* rows
    cdef Cell* cells
    cdef int* inputs
    cdef int* order
    cpdef int outside(self, object source) except -1
    cpdef int put(self, int source) except -1
    cpdef int note(self, Kind kind, long long free, unsigned long long key, bint graph, object code, int offset,
                   object module) except -1
    cpdef object promise(self, int number, Value v)
    cpdef Value promised(self, int number, object owner, Py_hash_t form, bint wants)
    cpdef int take_back(self, int n_inputs) except -1
    cpdef Kind kind_of(self, int entry)
    cpdef list inputs_of(self, int entry)
    cpdef int first_of(self, int entry) except -1
    cpdef bint is_graph(self, int entry) except -1
    cpdef int made_of(self, int number) except -2
    cpdef Py_ssize_t row_of(self, int number) except -1
    cpdef int entry_at(self, int place) except -1
    cpdef list group(self, int start, int stop)
    cpdef tuple sources(self, int start, int stop, int slot, int first_made)
    cpdef list place(self, int start, int stop, int made, list mades, bint is_stack, object node)
    cdef int make_room(self) except -1

cpdef bint same_bytes(object a, object b) except -1
