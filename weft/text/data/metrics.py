"""BLEU."""
import math
from collections import Counter

__all__ = ["bleu_score"]


def _ngram_counts(tokens, max_n):
    return Counter(tuple(tokens[i:i + n]) for n in range(1, max_n + 1) for i in range(len(tokens) - n + 1))


def bleu_score(candidate_corpus, references_corpus, max_n=4, weights=(0.25, 0.25, 0.25, 0.25)):
    """How much a list of translations, each a list of tokens, has in common with lists of references for each, 0 to 1.

    >>> from weft.text.data.metrics import bleu_score
    >>> round(bleu_score([["the", "cat", "sat", "on", "it"]], [[["the", "cat", "sat", "on", "the", "mat"]]]), 4)
    0.5475
    """
    if len(weights) != max_n:
        raise ValueError(f"weights has {len(weights)} numbers for max_n={max_n}\n  fix: give one for each length")
    if len(candidate_corpus) != len(references_corpus):
        raise ValueError(f"there are {len(candidate_corpus)} candidates and references for {len(references_corpus)}\n"
                         f"  fix: give a list of references for each candidate")
    clipped, total = [0] * max_n, [0] * max_n
    candidate_length = reference_length = 0
    for candidate, references in zip(candidate_corpus, references_corpus, strict=True):
        length = len(candidate)
        candidate_length += length
        reference_length += min(map(len, references), key=lambda n: abs(length - n))     # the first of the nearest
        allowed = Counter()
        for reference in references:
            allowed |= _ngram_counts(reference, max_n)
        for ngram, count in (_ngram_counts(candidate, max_n) & allowed).items():
            clipped[len(ngram) - 1] += count
        for n in range(max_n):
            total[n] += max(length - n, 0)
    if min(clipped) == 0:
        return 0.0
    mean = sum(weight * math.log(c / t) for weight, c, t in zip(weights, clipped, total, strict=True))
    return math.exp(mean) * math.exp(min(1 - reference_length / candidate_length, 0))
