"""PyTorch's place for these."""
from weft.nn.modules.embedding import Embedding as Embedding
from weft.nn.modules.embedding import EmbeddingBag as EmbeddingBag
