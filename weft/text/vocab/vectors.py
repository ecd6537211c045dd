"""Pretrained word vectors from files of text: a word and its numbers to a line (GloVe's form, word2vec's,
fastText's)."""
import functools
import gzip
import os
import zipfile

import numpy as np

import weft
from weft.core.errors import fail

__all__ = ["Vectors", "GloVe", "FastText", "CharNGram", "pretrained_aliases"]


class Vectors:
    """Words and a (words, dim) tensor of their vectors, read from the file `name` or `cache`/`name` (.txt, .vec, .gz,
    or a .zip with it inside); a word that isn't there has `unk_init(zeros)`, by default the zeros.

    >>> import os, tempfile
    >>> from weft.text.vocab import Vectors
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(os.path.join(folder, "v.txt"), "w").write("cat 1 2\\ndog 3 4\\n")
    ...     vectors = Vectors("v.txt", cache=folder)
    >>> vectors["dog"], vectors["emu"], vectors.dim
    (tensor([3., 4.]), tensor([0., 0.]), 2)
    """

    def __init__(self, name, cache=None, url=None, unk_init=None, max_vectors=None):
        self.unk_init = unk_init
        self._read(_find(name, ".vector_cache" if cache is None else cache), max_vectors)

    def _read(self, path, max_vectors):
        words, rows, dim = [], [], None
        with _open(path, max_vectors) as file:
            for number, line in enumerate(file, 1):
                word, _, rest = line.rstrip(b" \r\n").partition(b" ")
                values = rest.split(b" ")
                if not rest or (number == 1 and len(values) == 1 and word.isdigit()):
                    continue            # a header: how many, how long
                if dim is None:
                    dim = len(values)
                if len(values) != dim:
                    if len(values) < dim or not _is_a_phrase(values, dim):
                        fail(RuntimeError, f"line {number} of {path}: vector for token {word!r} has {len(values)} "
                                           f"dimensions, but previously read vectors have {dim}",
                             fix="look at that line")
                    word, values = b" ".join([word, *values[:-dim]]), values[-dim:]
                try:
                    rows.append(np.array(values, "S").astype(np.float32))
                except ValueError:
                    fail(RuntimeError, f"line {number} of {path} has something that is no number",
                         fix="look at that line")
                words.append(word.decode("utf8", "replace"))
                if max_vectors is not None and len(words) >= max_vectors:
                    break
        if not words:
            fail(RuntimeError, f"{path} has no vectors", fix="a word and its numbers to a line")
        self.itos = words
        self.stoi = {}
        for i, word in enumerate(words):
            self.stoi.setdefault(word, i)
        self.vectors, self.dim = weft.from_numpy(np.stack(rows)), dim

    def __len__(self):
        return len(self.vectors)

    def __contains__(self, token):
        return token in self.stoi

    def __getitem__(self, token):
        if token in self.stoi:
            return self.vectors[self.stoi[token]]
        row = weft.zeros(self.dim)
        return row if self.unk_init is None else self.unk_init(row)

    def get_vecs_by_tokens(self, tokens, lower_case_backup=False):
        """The vectors of words, (words, dim), or (dim) of one; with lower_case_backup a word that isn't there is
        looked for in lower case.

        >>> import os, tempfile
        >>> from weft.text.vocab import Vectors
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = open(os.path.join(folder, "v.txt"), "w").write("cat 1 2\\n")
        ...     vectors = Vectors("v.txt", cache=folder)
        >>> vectors.get_vecs_by_tokens(["Cat"], lower_case_backup=True)
        tensor([[1., 2.]])
        """
        single = isinstance(tokens, str)
        asked = [tokens] if single else list(tokens)
        if lower_case_backup:
            asked = [token if token in self.stoi else token.lower() for token in asked]
        made = weft.stack([self[token] for token in asked]) if asked else weft.empty(0, self.dim)
        return made[0] if single else made


class GloVe(Vectors):
    """GloVe's vectors from `cache`: glove.`name`.`dim`d.txt, or the archive of that name.

    >>> from weft.text.vocab import GloVe
    >>> _ = open("glove.6B.2d.txt", "w").write("cat 1 2\\n")
    >>> GloVe("6B", 2, cache=".")["cat"]
    tensor([1., 2.])
    """

    def __init__(self, name="840B", dim=300, **kwargs):
        self.name = f"glove.{name}.{dim}d.txt"
        super().__init__(self.name, **kwargs)


class FastText(Vectors):
    """fastText's vectors from `cache`: wiki.`language`.vec.

    >>> from weft.text.vocab import FastText
    >>> _ = open("wiki.simple.vec", "w").write("1 2\\ncat 1 2\\n")
    >>> FastText("simple", cache=".")["cat"]
    tensor([1., 2.])
    """

    def __init__(self, language="en", **kwargs):
        super().__init__(f"wiki.{language}.vec", **kwargs)


class CharNGram(Vectors):
    """Vectors of pieces of words, charNgram.txt in `cache`: a word's vector is the mean of its pieces' (1, dim).

    >>> from weft.text.vocab import CharNGram
    >>> _ = open("charNgram.txt", "w").write("2gram-#BEGIN#c 1 2\\n2gram-ca 3 4\\n")
    >>> CharNGram(cache=".")["cat"]
    tensor([[2., 3.]])
    """

    name = "charNgram.txt"

    def __init__(self, **kwargs):
        super().__init__(self.name, **kwargs)

    def __getitem__(self, token):
        letters = ["#BEGIN#", *token, "#END#"]
        pieces = {f"{n}gram-{''.join(letters[i:i + n])}" for n in (2, 3, 4) for i in range(len(letters) - n + 1)}
        rows = [self.vectors[self.stoi[piece]] for piece in sorted(pieces) if piece in self.stoi]
        if rows:
            return weft.stack(rows).mean(0, keepdim=True)
        row = weft.zeros(1, self.dim)
        return row if self.unk_init is None else self.unk_init(row)


_GLOVE = {"42B": (300,), "840B": (300,), "twitter.27B": (25, 50, 100, 200), "6B": (50, 100, 200, 300)}
pretrained_aliases = {
    "charngram.100d": CharNGram, "fasttext.en.300d": functools.partial(FastText, language="en"),
    "fasttext.simple.300d": functools.partial(FastText, language="simple"),
    **{f"glove.{name}.{dim}d".lower(): functools.partial(GloVe, name=name, dim=dim)
       for name, dims in _GLOVE.items() for dim in dims}}


def _is_a_phrase(values, dim):
    """Whether all but the last `dim` entries belong to a word with spaces in it (GloVe 840B has some)."""
    try:
        [float(value) for value in values[-dim:]]
    except ValueError:
        return False
    return not values[0].replace(b".", b"", 1).lstrip(b"-").isdigit()


def _find(name, cache):
    """The file's path, and what it is called inside if it is an archive."""
    stem = os.path.splitext(name)[0]
    for folder in ("", cache):
        for form in (name, name + ".gz", name + ".zip", stem + ".zip"):
            path = os.path.join(folder, form)
            if os.path.isfile(path):
                return path
        if name.startswith("glove."):       # glove.6B.zip has the files of all dimensions
            path = os.path.join(folder, ".".join(name.split(".")[:-2]) + ".zip")
            if os.path.isfile(path) and name in zipfile.ZipFile(path).namelist():
                return os.path.join(path, name)
    fail(FileNotFoundError, f"there is no file {name}, neither here nor in {cache}",
         fix="weft downloads nothing; put it there, or give cache= the folder that has it")


def _open(path, max_vectors):
    """The file's lines as bytes; a member of an archive is read in place, nothing is unpacked."""
    folder, member = os.path.split(path)
    if folder.endswith(".zip") and os.path.isfile(folder):
        return zipfile.ZipFile(folder).open(member)
    if path.endswith(".gz"):
        return gzip.open(path)
    if path.endswith(".zip"):
        archive = zipfile.ZipFile(path)
        texts = [name for name in archive.namelist() if name.endswith((".txt", ".vec"))]
        if not texts:
            fail(RuntimeError, f"{path} has no .txt or .vec inside", fix="give the file itself")
        return archive.open(texts[0])
    return open(path, "rb")
