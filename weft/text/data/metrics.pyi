"""BLEU."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any

def bleu_score(candidate_corpus: Any, references_corpus: Any, max_n: int = 4, weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25)) -> Any: ...
