cimport cython
from weft.core.operation cimport Operation
from weft.core.runtime cimport running, mode_bits, user_code, user_offset
from weft.tensor.tensor cimport Memory, Tensor, View, alias

@cython.freelist(64)
cdef class Rule:
    cdef public int position
    cdef public int count
    cdef public object function
    cdef public tuple sources
    cdef public int arity
    @cython.locals(n=cython.int, i=cython.int, source=cython.int)
    cpdef object call(self, object grad, object values, object node)

cdef object called(object function, list args)
@cython.locals(source=cython.int, found=list)
cdef list arguments(tuple sources, object grad, object values, object node)
cdef bint lacks(list slots) noexcept

cdef class Plan:
    cdef public tuple keep
    cdef public int n_params
    cdef public tuple rules
    cdef public object joint
    cdef public tuple joint_sources
    cdef public int n_saved
    cdef public bint joint_needs
    cdef public int n_absent
    cdef public bint lists
    cdef public dict counted
    cdef public bint light
    cdef public bint thrifty
    cdef public int slope, slope_at, spends
    cdef public tuple slope_if

@cython.trashcan(True)
@cython.freelist(2048)
cdef class Node:
    cdef public object code
    cdef public object module
    cdef public int lasti
    cdef public Operation op
    cdef public Plan plan
    cdef public tuple parents
    cdef public tuple outs
    cdef public object saved
    cdef public tuple versions
    cdef public tuple specs
    cdef public tuple out_specs
    cdef public long seq
    cdef public int n_outputs
    cdef public dict extra
    cdef public bint packed
    cdef object pending         # the gradient that waits for it in a backward (engine.py)
    cdef object __weakref__
    cpdef list run(self, object grad)
    @cython.locals(plan=Plan, rule=Rule, grads=list, i=cython.int, spec=object)
    cdef list run_for(self, object grad, list wanted)
    @cython.locals(args=list, needs=list, i=cython.Py_ssize_t)
    cdef object _run_joint(self, object grad, object values, list grads, list wanted)
    @cython.locals(plan=Plan, t=Tensor, i=cython.int, slot=cython.int, plain=bint, expected=cython.long)
    cpdef object unpack(self)
    cpdef object check_list(self, object values, int i)
    cpdef void free(self) noexcept
    cpdef object place(self)

cdef long COUNTER
cpdef long next_seq() noexcept
cpdef long reserve(long n) noexcept
cdef int GRAD_OFF
cdef int SHAPES
