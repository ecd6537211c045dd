"""torchtext.data: Field, Example, Dataset, Iterator and their kin, as old torchtext had them, and the newer helpers."""
# made by tools/stubs.py

from weft.text.data.iterator import batch as batch
from weft.text.data.batch import Batch as Batch
from weft.text.data import utils as utils
from weft.text.data.dataset import Dataset as Dataset
from weft.text.data.dataset import TabularDataset as TabularDataset
from weft.text.data.example import Example as Example
from weft.text.data.field import Field as Field
from weft.text.data.field import LabelField as LabelField
from weft.text.data.field import RawField as RawField
from weft.text.data.iterator import BPTTIterator as BPTTIterator
from weft.text.data.iterator import BucketIterator as BucketIterator
from weft.text.data.iterator import Iterator as Iterator
from weft.text.data.iterator import pool as pool
from weft.text.data import metrics as metrics
from weft.text.data.metrics import bleu_score as bleu_score
from weft.text.data.nested import NestedField as NestedField
from weft.text.data.nested import ReversibleField as ReversibleField
from weft.text.data.utils import get_tokenizer as get_tokenizer
from weft.text.data.utils import interleave_keys as interleave_keys
from weft.text.data import functional as functional
