"""Running text (Penn Treebank, WikiText), words with tags (UDPOS, CoNLL), and pairs of sentences (Multi30k)."""
from itertools import zip_longest

from weft.core.errors import fail
from weft.text.datasets._files import CACHE, find, lines, splits

__all__ = ["PennTreebank", "WikiText2", "WikiText103", "UDPOS", "CoNLL2000Chunking", "Multi30k"]


def PennTreebank(root=CACHE, split=("train", "valid", "test")):
    """Lines of ptb.train.txt, ptb.valid.txt and ptb.test.txt.

    >>> import weft
    >>> _ = open("ptb.test.txt", "w").write(" no it was n't black monday\\n")
    >>> list(weft.text.datasets.PennTreebank(".", split="test"))
    [" no it was n't black monday"]
    """
    def rows(which):
        yield from lines(find(root, "PennTreebank", [f"ptb.{which}.txt"]))
    return splits("PennTreebank", split, ("train", "valid", "test"), rows)


def _wikitext(name, folder, root, split):
    def rows(which):
        for line in lines(find(root, name, [f"{folder}/wiki.{which}.tokens", f"wiki.{which}.tokens"])):
            yield line + "\n"
    return splits(name, split, ("train", "valid", "test"), rows)


def WikiText2(root=CACHE, split=("train", "valid", "test")):
    """Lines, with their ends, of wiki.train.tokens, wiki.valid.tokens and wiki.test.tokens.

    >>> import weft
    >>> _ = open("wiki.test.tokens", "w").write(" = A title = \\n")
    >>> list(weft.text.datasets.WikiText2(".", split="test"))
    [' = A title = \\n']
    """
    return _wikitext("WikiText2", "wikitext-2", root, split)


def WikiText103(root=CACHE, split=("train", "valid", "test")):
    """As WikiText2, of the larger set's files.

    >>> import weft
    >>> _ = open("wiki.test.tokens", "w").write(" = A title = \\n")
    >>> list(weft.text.datasets.WikiText103(".", split="test"))
    [' = A title = \\n']
    """
    return _wikitext("WikiText103", "wikitext-103", root, split)


def tagged(rows, separator=None):
    """A list of columns for each sentence: rows of a word and its tags, an empty row between sentences."""
    sentence = []
    for number, row in enumerate(rows, 1):
        cells = row.split(separator) if row.strip() else []
        if cells and sentence and len(cells) != len(sentence[0]):
            fail(ValueError, f"line {number} has {len(cells)} columns, the lines before it {len(sentence[0])}",
                 fix="look at that line")
        if cells:
            sentence.append(cells)
        elif sentence:
            yield [list(column) for column in zip(*sentence)]
            sentence = []
    if sentence:
        yield [list(column) for column in zip(*sentence)]


def UDPOS(root=CACHE, split=("train", "valid", "test")):
    """Words and two kinds of parts of speech: three lists for each sentence of en-ud-tag.v2.<split>.txt.

    >>> import weft
    >>> _ = open("en-ud-tag.v2.test.txt", "w").write("It\\tPRON\\tPRP\\nworks\\tVERB\\tVBZ\\n\\n")
    >>> list(weft.text.datasets.UDPOS(".", split="test"))
    [[['It', 'works'], ['PRON', 'VERB'], ['PRP', 'VBZ']]]
    """
    def rows(which):
        name = f"en-ud-tag.v2.{'dev' if which == 'valid' else which}.txt"
        yield from tagged(lines(find(root, "UDPOS", [name, f"en-ud-v2/{name}"])), "\t")
    return splits("UDPOS", split, ("train", "valid", "test"), rows)


def CoNLL2000Chunking(root=CACHE, split=("train", "test")):
    """Words, parts of speech and chunks: three lists for each sentence of train.txt and test.txt.

    >>> import weft
    >>> _ = open("test.txt", "w").write("It PRP B-NP\\nworks VBZ B-VP\\n")
    >>> list(weft.text.datasets.CoNLL2000Chunking(".", split="test"))
    [[['It', 'works'], ['PRP', 'VBZ'], ['B-NP', 'B-VP']]]
    """
    def rows(which):
        yield from tagged(lines(find(root, "CoNLL2000Chunking", [f"{which}.txt"])), " ")
    return splits("CoNLL2000Chunking", split, ("train", "test"), rows)


def Multi30k(root=CACHE, split=("train", "valid", "test"), language_pair=("de", "en")):
    """Pairs of sentences from train.de and train.en, val.de and val.en, test.de and test.en.

    >>> import weft
    >>> _ = open("test.de", "w").write("Ein Hund.\\n"), open("test.en", "w").write("A dog.\\n")
    >>> list(weft.text.datasets.Multi30k(".", split="test"))
    [('Ein Hund.', 'A dog.')]
    """
    def rows(which):
        stems = {"valid": ["val"], "test": ["test", "test_2016_flickr", "test2016"]}.get(which, [which])
        paths = [find(root, "Multi30k", [f"{stem}.{language}" for stem in stems]) for language in language_pair]
        for number, pair in enumerate(zip_longest(*map(lines, paths)), 1):
            if None in pair:
                fail(ValueError, f"{paths[pair.index(None)]} ends at line {number - 1}, before the other language",
                     fix="the files have a line for each other's")
            yield pair
    return splits("Multi30k", split, ("train", "valid", "test"), rows)
