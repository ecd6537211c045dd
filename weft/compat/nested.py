"""torch.nested: weft has no tensors of several lengths; the names say so when they are used."""
from weft._absent import absent_functions as _functions

_functions("as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged to_padded_tensor", globals(),
           "pad with nn.utils.rnn.pad_sequence, or pack with pack_padded_sequence")
