"""torchtext.legacy.datasets: sets whose rows go through fields; the files are those of weft.text.datasets."""
import os

from weft.text import datasets as _new
from weft.text.data import Dataset, Example
from weft.text.datasets._files import find, lines
from weft.text.datasets.running import tagged

__all__ = ["IMDB", "SST", "LanguageModelingDataset", "PennTreebank", "WikiText2", "WikiText103",
           "SequenceTaggingDataset", "UDPOS", "CoNLL2000Chunking", "TranslationDataset", "Multi30k"]


class _Labelled(Dataset):
    @staticmethod
    def sort_key(example):
        """The length of the text.

        >>> from weft.text.legacy import data, datasets
        >>> datasets.IMDB.sort_key(data.Example.fromlist(["It works"], [("text", data.Field())]))
        2
        """
        return len(example.text)

    @classmethod
    def _splits(cls, sets, text_field, label_field, **kwargs):
        fields = [("text", text_field), ("label", label_field)]
        examples = ([Example.fromlist([text, label], fields) for label, text in rows] for rows in sets)
        return tuple(cls(each, fields, **kwargs) for each in examples)


class IMDB(_Labelled):
    """Film reviews with the labels 'pos' and 'neg'.

    >>> from weft.text.legacy import data, datasets
    >>> train, test = datasets.IMDB.splits(data.Field(), data.LabelField())       # doctest: +SKIP
    """

    @classmethod
    def splits(cls, text_field, label_field, root=".data", train="train", test="test", **kwargs):
        """The training and test reviews below `root`.

        >>> from weft.text.legacy import data, datasets
        >>> train, test = datasets.IMDB.splits(data.Field(), data.LabelField())   # doctest: +SKIP
        """
        sets = ([({1: "neg", 2: "pos"}[label], text) for label, text in _new.IMDB(root, split)]
                for split in (train, test) if split is not None)
        return cls._splits(sets, text_field, label_field, **kwargs)


class SST(_Labelled):
    """Sentiment trees' sentences: three labels, or five with fine_grained.

    >>> from weft.text.legacy import data, datasets
    >>> parts = datasets.SST.splits(data.Field(), data.LabelField())              # doctest: +SKIP
    """

    @classmethod
    def splits(cls, text_field, label_field, root=".data", train="train.txt", validation="dev.txt", test="test.txt",
               train_subtrees=False, fine_grained=False, **kwargs):
        """The three parts below `root`.

        >>> from weft.text.legacy import data, datasets
        >>> parts = datasets.SST.splits(data.Field(), data.LabelField())          # doctest: +SKIP
        """
        names = ("very negative", "negative", "neutral", "positive", "very positive") if fine_grained else \
            ("negative", "negative", "neutral", "positive", "positive")
        sets = []
        for name in (train, validation, test):
            if name is not None:
                rows = _new.SST(root, os.path.splitext(name)[0], subtrees=train_subtrees and name == train)
                sets.append([(names[label], text) for label, text in rows])
        return cls._splits(sets, text_field, label_field, **kwargs)


class LanguageModelingDataset(Dataset):
    """One example, `text`: all words of a file, with <eos> where a line ends.

    >>> from weft.text.legacy import data, datasets
    >>> _ = open("a.txt", "w").write("a b\\nc\\n")
    >>> datasets.LanguageModelingDataset("a.txt", data.Field())[0].text
    ['a', 'b', '<eos>', 'c', '<eos>']
    """

    _files = _names = None

    def __init__(self, path, text_field, newline_eos=True, encoding="utf-8", **kwargs):
        words = []
        for line in lines(path):
            words += text_field.preprocess(line)
            words += ["<eos>"] if newline_eos else []
        example = Example()
        example.text = words
        super().__init__([example], [("text", text_field)], **kwargs)

    @classmethod
    def splits(cls, text_field, root=".data", train="train", validation="valid", test="test", path=None, **kwargs):
        """The three parts: of Penn Treebank and WikiText by the set's names, of other text by the files' names in path.

        >>> from weft.text.legacy import data, datasets
        >>> _ = open("a.txt", "w").write("a b\\n")
        >>> text = data.Field()
        >>> train, = datasets.LanguageModelingDataset.splits(text, path=".", train="a.txt", validation=None, test=None)
        >>> train[0].text
        ['a', 'b', '<eos>']
        """
        def place(name):
            return os.path.join(root if path is None else path, name) if cls._files is None else \
                find(root if path is None else path, cls.__name__, [form.format(name) for form in cls._files])
        return tuple(cls(place(name), text_field, **kwargs) for name in (train, validation, test) if name is not None)


class PennTreebank(LanguageModelingDataset):
    """ptb.train.txt, ptb.valid.txt, ptb.test.txt.

    >>> from weft.text.legacy import data, datasets
    >>> parts = datasets.PennTreebank.splits(data.Field())                        # doctest: +SKIP
    """
    _files = ("ptb.{}.txt",)


class WikiText2(LanguageModelingDataset):
    """wiki.train.tokens, wiki.valid.tokens, wiki.test.tokens.

    >>> from weft.text.legacy import data, datasets
    >>> parts = datasets.WikiText2.splits(data.Field())                           # doctest: +SKIP
    """
    _files = ("wikitext-2/wiki.{}.tokens", "wiki.{}.tokens")


class WikiText103(LanguageModelingDataset):
    """As WikiText2, of the larger set.

    >>> from weft.text.legacy import data, datasets
    >>> parts = datasets.WikiText103.splits(data.Field())                         # doctest: +SKIP
    """
    _files = ("wikitext-103/wiki.{}.tokens", "wiki.{}.tokens")


class SequenceTaggingDataset(Dataset):
    """Sentences of a file with a word and its tags to a line; a field for each column.

    >>> from weft.text.legacy import data, datasets
    >>> _ = open("tags.txt", "w").write("It\\tPRP\\nworks\\tVBZ\\n\\n")
    >>> tags = datasets.SequenceTaggingDataset("tags.txt", [("word", data.Field()), ("tag", data.Field())])
    >>> tags[0].word, tags[0].tag
    (['It', 'works'], ['PRP', 'VBZ'])
    """

    @staticmethod
    def sort_key(example):
        """The length of the first column.

        >>> from weft.text.legacy import data, datasets
        >>> row = data.Example.fromlist(["It works"], [("word", data.Field())])
        >>> datasets.SequenceTaggingDataset.sort_key(row)
        2
        """
        return next((len(value) for value in vars(example).values() if isinstance(value, list)), 0)

    def __init__(self, path, fields, encoding="utf-8", separator="\t", **kwargs):
        sentences = tagged(lines(path), separator)
        super().__init__([Example.fromlist(columns, fields) for columns in sentences], fields, **kwargs)


class UDPOS(SequenceTaggingDataset):
    """Universal Dependencies' tags.

    >>> from weft.text.legacy import data, datasets
    >>> parts = datasets.UDPOS.splits([("word", data.Field()), ("tag", data.Field())])      # doctest: +SKIP
    """

    @classmethod
    def splits(cls, fields, root=".data", train="train", validation="dev", test="test", **kwargs):
        """The three parts below `root`.

        >>> from weft.text.legacy import data, datasets
        >>> parts = datasets.UDPOS.splits([("word", data.Field())])               # doctest: +SKIP
        """
        names = (os.path.splitext(name)[0].split(".")[-1] for name in (train, validation, test) if name is not None)
        return tuple(cls(find(root, "UDPOS", [f"en-ud-tag.v2.{name}.txt", f"en-ud-v2/en-ud-tag.v2.{name}.txt"]), fields,
                         **kwargs) for name in names)


class CoNLL2000Chunking(SequenceTaggingDataset):
    """Words, parts of speech and chunks; a tenth of the training sentences is for validation.

    >>> from weft.text.legacy import data, datasets
    >>> parts = datasets.CoNLL2000Chunking.splits([("word", data.Field())])       # doctest: +SKIP
    """

    @classmethod
    def splits(cls, fields, root=".data", train="train.txt", test="test.txt", validation_frac=0.1, **kwargs):
        """Training, validation and test sentences below `root`.

        >>> from weft.text.legacy import data, datasets
        >>> parts = datasets.CoNLL2000Chunking.splits([("word", data.Field())])   # doctest: +SKIP
        """
        whole, last = (cls(find(root, "CoNLL2000Chunking", [name]), fields, separator=" ", **kwargs)
                       for name in (train, test))
        first = list(whole.split(1 - validation_frac)) if validation_frac else [whole]
        return (*first, last)


class TranslationDataset(Dataset):
    """Pairs of lines of two files, `path` with either ending; empty lines are left out.

    >>> from weft.text.legacy import data, datasets
    >>> _ = open("t.de", "w").write("Ein Hund\\n"), open("t.en", "w").write("A dog\\n")
    >>> pairs = datasets.TranslationDataset("t", (".de", ".en"), (data.Field(), data.Field()))
    >>> pairs[0].src, pairs[0].trg
    (['Ein', 'Hund'], ['A', 'dog'])
    """

    @staticmethod
    def sort_key(example):
        """Both lengths in one number.

        >>> from weft.text.legacy import datasets
        >>> datasets.TranslationDataset.sort_key(type("Row", (), {"src": [1], "trg": [1]})())
        3
        """
        from weft.text.data import interleave_keys
        return interleave_keys(len(example.src), len(example.trg))

    def __init__(self, path, exts, fields, **kwargs):
        if not isinstance(fields[0], (tuple, list)):
            fields = [("src", fields[0]), ("trg", fields[1])]
        both = (tuple(map(str.strip, pair)) for pair in zip(*(lines(os.path.expanduser(path + end)) for end in exts)))
        super().__init__([Example.fromlist(pair, fields) for pair in both if all(pair)], fields, **kwargs)

    @classmethod
    def splits(cls, exts, fields, path=None, root=".data", train="train", validation="val", test="test", **kwargs):
        """The three parts in `path`, or below `root`.

        >>> from weft.text.legacy import data, datasets
        >>> parts = datasets.TranslationDataset.splits((".de", ".en"), (data.Field(), data.Field()))  # doctest: +SKIP
        """
        def stem(name):
            if path is not None:
                return os.path.join(path, name)
            return find(root, cls.__name__, [name + exts[0]])[:-len(exts[0])]
        return tuple(cls(stem(name), exts, fields, **kwargs) for name in (train, validation, test) if name is not None)


class Multi30k(TranslationDataset):
    """Descriptions of pictures in English and German.

    >>> from weft.text.legacy import data, datasets
    >>> parts = datasets.Multi30k.splits((".de", ".en"), (data.Field(), data.Field()))      # doctest: +SKIP
    """
