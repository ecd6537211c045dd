"""PyTorch's place for these."""
from weft.nn.modules.attention import MultiheadAttention as MultiheadAttention
from weft.nn.modules.attention import Transformer as Transformer
from weft.nn.modules.attention import TransformerDecoder as TransformerDecoder
from weft.nn.modules.attention import TransformerDecoderLayer as TransformerDecoderLayer
from weft.nn.modules.attention import TransformerEncoder as TransformerEncoder
from weft.nn.modules.attention import TransformerEncoderLayer as TransformerEncoderLayer
from weft.nn.modules.attention import _activation as _get_activation_fn  # noqa: F401
from weft.nn.modules.attention import _copies as _get_clones  # noqa: F401
