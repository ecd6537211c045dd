"""BLEU."""
# made by tools/stubs.py
from typing import Any
from weft.tensor.tensor import Tensor

def bleu_score(candidate_corpus: Any, references_corpus: Any, max_n: int = 4, weights: Tensor = (0.25, 0.25, 0.25, 0.25)) -> Any: ...
