"""torch.sparse: weft's tensors are all dense; the names say so when they are used."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions

_FIX = "use dense tensors, and index_add or scatter_add for sums of few rows"
_functions("addmm mm sampled_addmm sum softmax spdiags spsolve log_softmax as_sparse_gradcheck "
           "to_sparse_semi_structured check_sparse_tensor_invariants", globals(), _FIX)
_classes("FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor ByteTensor CharTensor "
         "SparseSemiStructuredTensor SparseSemiStructuredTensorCUTLASS SparseSemiStructuredTensorCUSPARSELT", globals(),
         _FIX)
