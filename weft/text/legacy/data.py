"""torchtext.legacy.data: the classic half of weft.text.data."""
from weft.text.data import (
    Batch as Batch,
)
from weft.text.data import (
    BPTTIterator as BPTTIterator,
)
from weft.text.data import (
    BucketIterator as BucketIterator,
)
from weft.text.data import (
    Dataset as Dataset,
)
from weft.text.data import (
    Example as Example,
)
from weft.text.data import (
    Field as Field,
)
from weft.text.data import (
    Iterator as Iterator,
)
from weft.text.data import (
    LabelField as LabelField,
)
from weft.text.data import (
    NestedField as NestedField,
)
from weft.text.data import (
    RawField as RawField,
)
from weft.text.data import (
    ReversibleField as ReversibleField,
)
from weft.text.data import (
    TabularDataset as TabularDataset,
)
from weft.text.data import (
    batch as batch,
)
from weft.text.data import (
    get_tokenizer as get_tokenizer,
)
from weft.text.data import (
    interleave_keys as interleave_keys,
)
from weft.text.data import (
    pool as pool,
)
