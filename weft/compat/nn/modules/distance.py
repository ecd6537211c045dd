"""PyTorch's place for these."""
from weft.nn.modules.shaping import CosineSimilarity as CosineSimilarity
from weft.nn.modules.shaping import PairwiseDistance as PairwiseDistance
