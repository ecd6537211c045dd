"""torchtext.legacy.datasets: sets whose rows go through fields; the files are those of weft.text.datasets."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Path
from weft.text.data.dataset import Dataset as Dataset

class _Labelled(Dataset):
    @staticmethod
    def sort_key(example: Any) -> int: ...

class IMDB(_Labelled):
    @classmethod
    def splits(cls, text_field: Any, label_field: Any, root: str = '.data', train: str = 'train', test: str = 'test', **kwargs: Any) -> Any: ...

class SST(_Labelled):
    @classmethod
    def splits(cls, text_field: Any, label_field: Any, root: str = '.data', train: str = 'train.txt', validation: str = 'dev.txt', test: str = 'test.txt', train_subtrees: bool = False, fine_grained: bool = False, **kwargs: Any) -> Any: ...

class LanguageModelingDataset(Dataset):
    def __init__(self, path: Path, text_field: Any, newline_eos: bool = True, encoding: str = 'utf-8', **kwargs: Any) -> None: ...
    @classmethod
    def splits(cls, text_field: Any, root: str = '.data', train: str = 'train', validation: str = 'valid', test: str = 'test', path: Path | None = None, **kwargs: Any) -> Any: ...

class PennTreebank(LanguageModelingDataset):
    ...

class WikiText2(LanguageModelingDataset):
    ...

class WikiText103(LanguageModelingDataset):
    ...

class SequenceTaggingDataset(Dataset):
    @staticmethod
    def sort_key(example: Any) -> Any: ...
    def __init__(self, path: Path, fields: Any, encoding: str = 'utf-8', separator: str = '\t', **kwargs: Any) -> None: ...

class UDPOS(SequenceTaggingDataset):
    @classmethod
    def splits(cls, fields: Any, root: str = '.data', train: str = 'train', validation: str = 'dev', test: str = 'test', **kwargs: Any) -> Any: ...

class CoNLL2000Chunking(SequenceTaggingDataset):
    @classmethod
    def splits(cls, fields: Any, root: str = '.data', train: str = 'train.txt', test: str = 'test.txt', validation_frac: float = 0.1, **kwargs: Any) -> Any: ...

class TranslationDataset(Dataset):
    @staticmethod
    def sort_key(example: Any) -> Any: ...
    def __init__(self, path: Path, exts: Any, fields: Any, **kwargs: Any) -> None: ...
    @classmethod
    def splits(cls, exts: Any, fields: Any, path: Path | None = None, root: str = '.data', train: str = 'train', validation: str = 'val', test: str = 'test', **kwargs: Any) -> Any: ...

class Multi30k(TranslationDataset):
    ...

