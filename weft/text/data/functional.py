"""torchtext.data.functional: small steps from lines to numbers."""
import re

from weft.core.errors import fail
from weft.utils.data import Dataset

__all__ = ["generate_sp_model", "load_sp_model", "sentencepiece_numericalizer", "sentencepiece_tokenizer",
           "custom_replace", "simple_space_split", "numericalize_tokens_from_iterator", "filter_wikipedia_xml",
           "to_map_style_dataset"]


def _sentencepiece():
    try:
        import sentencepiece
    except ImportError:
        fail(ImportError, "this needs the package sentencepiece, which isn't installed",
             fix="pip install sentencepiece")
    return sentencepiece


def generate_sp_model(filename, vocab_size=20000, model_type="unigram", model_prefix="m_user"):
    """Train a sentencepiece model on a file of lines and write it as `model_prefix`.model and .vocab.

    >>> from weft.text.data.functional import generate_sp_model
    >>> generate_sp_model("lines.txt", vocab_size=1000)         # doctest: +SKIP
    """
    _sentencepiece().SentencePieceTrainer.train(input=filename, vocab_size=vocab_size, model_type=model_type,
                                                model_prefix=model_prefix)


def load_sp_model(spm):
    """A sentencepiece model of a file, by its name or opened.

    >>> from weft.text.data.functional import load_sp_model
    >>> model = load_sp_model("m_user.model")                   # doctest: +SKIP
    """
    processor = _sentencepiece().SentencePieceProcessor()
    if isinstance(spm, str):
        processor.Load(spm)
    else:
        processor.LoadFromSerializedProto(spm.read())
    return processor


def sentencepiece_numericalizer(sp_model):
    """A generator function from lines to lists of numbers.

    >>> from weft.text.data.functional import sentencepiece_numericalizer
    >>> list(sentencepiece_numericalizer(model)(["a line"]))    # doctest: +SKIP
    """
    def numbers(lines):
        for line in lines:
            yield sp_model.EncodeAsIds(line)
    return numbers


def sentencepiece_tokenizer(sp_model):
    """A generator function from lines to lists of pieces.

    >>> from weft.text.data.functional import sentencepiece_tokenizer
    >>> list(sentencepiece_tokenizer(model)(["a line"]))        # doctest: +SKIP
    """
    def pieces(lines):
        for line in lines:
            yield sp_model.EncodeAsPieces(line)
    return pieces


def custom_replace(replace_pattern):
    """A generator function that replaces patterns in lines, in order: [(pattern, text), ...].

    >>> from weft.text.data.functional import custom_replace
    >>> list(custom_replace([(r"S", "s"), (r"\\s+", " ")])(["Sentence   one"]))
    ['sentence one']
    """
    steps = [(re.compile(pattern), text) for pattern, text in replace_pattern]

    def replaced(lines):
        for line in lines:
            for pattern, text in steps:
                line = pattern.sub(text, line)
            yield line
    return replaced


def simple_space_split(iterator):
    """The words of each line.

    >>> from weft.text.data.functional import simple_space_split
    >>> list(simple_space_split(["a b", "c"]))
    [['a', 'b'], ['c']]
    """
    for line in iterator:
        yield line.split()


def numericalize_tokens_from_iterator(vocab, iterator, removed_tokens=None):
    """For each list of tokens an iterator of their numbers, without some tokens.

    >>> from weft.text.data.functional import numericalize_tokens_from_iterator
    >>> [list(row) for row in numericalize_tokens_from_iterator({"a": 0, "b": 1}, [["a", "b"], ["b"]], ["a"])]
    [[1], [1]]
    """
    for tokens in iterator:
        kept = tokens if removed_tokens is None else [token for token in tokens if token not in removed_tokens]
        yield iter([vocab[token] for token in kept])


_WIKI = [(re.compile(pattern), text) for pattern, text in (
    (r"<.*>", ""), (r"&amp;", "&"), (r"&lt;", "<"), (r"&gt;", ">"), (r"<ref[^<]*<\/ref>", ""), (r"<[^>]*>", ""),
    (r"\[http:[^] ]*", "["), (r"\|thumb", ""), (r"\|left", ""), (r"\|right", ""), (r"\|\d+px", ""),
    (r"\[\[image:[^\[\]]*\|", ""), (r"\[\[category:([^|\]]*)[^]]*\]\]", r"[[\1]]"), (r"\[\[[a-z\-]*:[^\]]*\]\]", ""),
    (r"\[\[[^\|\]]*\|", "[["), (r"\{\{[^\}]*\}\}", ""), (r"\{[^\}]*\}", ""), (r"\[", ""), (r"\]", ""),
    (r"&[^;]*;", " "))]
_DIGITS = {str(digit): f" {name} " for digit, name in
           enumerate("zero one two three four five six seven eight nine".split())}


def filter_wikipedia_xml(text_iterator):
    """The plain words of lines of Wikipedia's XML: no markup, lower case, letters only, digits spelt out;
    lines without words are left out.

    >>> from weft.text.data.functional import filter_wikipedia_xml
    >>> list(filter_wikipedia_xml(["[[Cat|Cats]] have 4 legs."]))
    ['cats have four legs']
    """
    for line in text_iterator:
        if "#redirect" in line.lower():
            continue
        for pattern, text in _WIKI:
            line = pattern.sub(text, line)
        line = "".join(_DIGITS.get(letter, letter) for letter in line.lower())
        words = re.sub(r"[^a-z]", " ", line).split()
        if words:
            yield " ".join(words)


class _Rows(Dataset):
    def __init__(self, rows):
        self._rows = rows

    def __getitem__(self, index):
        return self._rows[index]

    def __len__(self):
        return len(self._rows)


def to_map_style_dataset(iter_data):
    """All rows of an iterable dataset in memory, with numbers and a length, for a DataLoader that shuffles.

    >>> from weft.text.data.functional import to_map_style_dataset
    >>> rows = to_map_style_dataset(iter([(1, "a"), (2, "b")]))
    >>> len(rows), rows[1]
    (2, (2, 'b'))
    """
    return _Rows(list(iter_data))
