"""torchtext.data: Field, Example, Dataset, Iterator and their kin, as old torchtext had them, and the newer helpers."""
from weft.core.namespace import parts as _parts
from weft.text.data.batch import Batch as Batch
from weft.text.data.dataset import Dataset as Dataset, TabularDataset as TabularDataset
from weft.text.data.example import Example as Example
from weft.text.data.field import Field as Field, LabelField as LabelField, RawField as RawField
from weft.text.data.iterator import (
    BPTTIterator as BPTTIterator,
    BucketIterator as BucketIterator,
    Iterator as Iterator,
    batch as batch,
    pool as pool,
)
from weft.text.data.metrics import bleu_score as bleu_score
from weft.text.data.nested import NestedField as NestedField, ReversibleField as ReversibleField
from weft.text.data.utils import get_tokenizer as get_tokenizer, interleave_keys as interleave_keys

__all__ = ["Batch", "Example", "RawField", "Field", "LabelField", "NestedField", "ReversibleField", "Dataset",
           "TabularDataset", "Iterator", "BucketIterator", "BPTTIterator", "batch", "pool", "get_tokenizer",
           "interleave_keys", "bleu_score"]
__getattr__, __dir__ = _parts(globals(), "batch dataset example field functional iterator metrics nested utils")
