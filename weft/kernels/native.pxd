cpdef object call(object function, list args)
cpdef object binary(int code, object a, object b)
cpdef object unary(int code, object a)
cpdef bint binary_into(int code, object a, object b)
cpdef bint unary_into(int code, object a)
cpdef object matmul(object a, object b, bint a_turned=*, bint b_turned=*)
cpdef object transpose(object a, int i, int j)
cpdef object scalar(object a)
cpdef object number(object value, object kind)
cpdef bint only_here(object x) noexcept
cpdef long references(object x) noexcept
cpdef bint held_once(object a) noexcept
cpdef object address(object a)
cpdef bint same_place(object a, object b) noexcept
cpdef bint same_layout(object a, object b) noexcept
cpdef bint are_classes(object x, object target) noexcept
cpdef bint same_strides(object a, object b) noexcept
cpdef object strided(object a, tuple shape, tuple strides, Py_ssize_t offset)
cpdef bint is_half(object a) except -1
cpdef bint is_inexact(object a) noexcept
cpdef bint is_real(object a) noexcept
cpdef bint same_type(object a, object b) noexcept
cpdef bint is_complex(object a) noexcept
cpdef object spread(object a, tuple shape, object dims, bint keepdim)
cpdef object basic(object a, tuple index)
cpdef object reshape(object a, object shape)
cpdef object unsqueeze(object a, int dim)
cpdef object expand(object a, object sizes)
cpdef bint keeps_alone(object a, object like) noexcept
cpdef object view(int code, object a, list values)
cpdef bint copy_into(object target, object source)
cpdef bint overlaps(object a) noexcept
cpdef tuple shape(object a)
cpdef bint in_one_piece(object a) except -1
cpdef int dims(object a) noexcept
cpdef tuple element_strides(object a)
cpdef tuple spec(object a)
cpdef list pieces(object a, tuple sizes, int dim)
cpdef list slabs(object a, int dim)
cpdef void let_go(object array) noexcept
cpdef object copied(object a, tuple shape)
