"""What is done with a column: tokens, a vocabulary, padding, numbers."""
# made by tools/stubs.py
from typing import Any
from weft._typing import DType, Device
from weft.tensor.tensor import Tensor

class RawField:
    preprocessing: Any
    postprocessing: Any
    is_target: bool
    def __init__(self, preprocessing: Any = None, postprocessing: Any = None, is_target: bool = False) -> None: ...
    def preprocess(self, x: Tensor) -> Any: ...
    def process(self, batch: Any, *args: Any, **kwargs: Any) -> Any: ...

class Field(RawField):
    stop_words: Any
    pad_first: bool
    truncate_first: bool
    include_lengths: bool
    batch_first: bool
    lower: bool
    tokenize: Any
    unk_token: str
    fix_length: Any
    dtype: Any
    init_token: Any
    eos_token: Any
    pad_token: Any
    sequential: bool
    use_vocab: bool
    def __init__(self, sequential: bool = True, use_vocab: bool = True, init_token: Any = None, eos_token: Any = None, fix_length: Any = None, dtype: DType | None = None, preprocessing: Any = None, postprocessing: Any = None, lower: bool = False, tokenize: Any = None, tokenizer_language: str = 'en', include_lengths: bool = False, batch_first: bool = False, pad_token: str = '<pad>', unk_token: str = '<unk>', pad_first: bool = False, truncate_first: bool = False, stop_words: Any = None, is_target: bool = False) -> None: ...
    def preprocess(self, x: Tensor) -> Any: ...
    def process(self, batch: Any, device: Device | None = None) -> Any: ...
    def pad(self, minibatch: Any) -> Any: ...
    def build_vocab(self, *args: Any, **kwargs: Any) -> None: ...
    def numericalize(self, arr: Any, device: Device | None = None) -> Any: ...

class LabelField(Field):
    def __init__(self, **kwargs: Any) -> None: ...

