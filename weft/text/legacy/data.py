"""torchtext.legacy.data: the classic half of weft.text.data."""
from weft.text.data import (
    BPTTIterator as BPTTIterator,
    Batch as Batch,
    BucketIterator as BucketIterator,
    Dataset as Dataset,
    Example as Example,
    Field as Field,
    Iterator as Iterator,
    LabelField as LabelField,
    NestedField as NestedField,
    RawField as RawField,
    ReversibleField as ReversibleField,
    TabularDataset as TabularDataset,
    batch as batch,
    get_tokenizer as get_tokenizer,
    interleave_keys as interleave_keys,
    pool as pool,
)
