"""The steps of a tokenizer file around its model, each made of its entry {"type": ...}: text is normalised, cut into
words, special tokens are put around it, and tokens become text again."""
import functools
import re
import unicodedata

from weft.core.errors import fail
from weft.text.tokenizers.charsmap import CharsMap
from weft.text.tokenizers.patterns import GPT2, SPACE, translate

__all__ = ["normalizer", "pre_tokenizer", "post_processor", "decoder"]


@functools.cache
def byte_letters():
    """A letter for each byte, as GPT-2 has them: printable ones stand for themselves, the others from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return {byte: chr(byte) if byte in plain else chr(next(others)) for byte in range(256)}


@functools.cache
def letter_bytes():
    return {letter: byte for byte, letter in byte_letters().items()}


def to_letters(text):
    """A text's bytes as GPT-2's letters."""
    return text.encode("utf8", "surrogatepass").decode("latin-1").translate(byte_letters())


def _step(entry, table, what):
    """Look an entry's type up and make the step."""
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        fail(ValueError, f"a {what} of a tokenizer file is an object with a type, not {str(entry)[:60]!r}",
             fix="look at the file")
    make = table.get(entry["type"])
    if make is None:
        fail(NotImplementedError, f"the {what} '{entry['type']}' is not known here",
             fix="known are " + ", ".join(table))
    return make(entry)


def _listed(entry, *names):
    for name in names:
        if isinstance(entry.get(name), list):
            return entry[name]
    fail(ValueError, f"a Sequence without its list '{names[0]}'", fix="look at the file")


def _pattern(entry):
    """The compiled pattern of {"String": ...} or {"Regex": ...}."""
    kind = entry.get("pattern")
    if isinstance(kind, dict) and isinstance(kind.get("String"), str):
        return re.compile(re.escape(kind["String"]))
    if isinstance(kind, dict) and isinstance(kind.get("Regex"), str):
        return translate(kind["Regex"])
    fail(ValueError, f"a pattern is a String or a Regex, not {str(kind)[:60]!r}", fix="look at the file")


# normalising

def lowered(text):
    """In lower case, letter by letter: a sigma at a word's end is no other than elsewhere."""
    return text.lower() if text.isascii() else "".join(letter.lower() for letter in text)


def without_marks(text, kinds):
    return text if text.isascii() else "".join(c for c in text if not unicodedata.category(c).startswith(kinds))


def _stripped(entry):
    left, right = entry.get("strip_left", True), entry.get("strip_right", True)
    spaces = {True: translate(r"^\s+"), False: translate(r"\s+\z")}

    def strip(text):
        text = spaces[True].sub("", text) if left else text
        return text[:len(text) - len(_last_spaces(text))] if right else text
    return strip


def _last_spaces(text):
    kept = len(text)
    while kept and translate(r"\s").match(text[kept - 1]):
        kept -= 1
    return text[kept:]


_CHINESE = re.compile("([\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
                      "\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f])")


def _bert_normalizer(entry):
    clean, chinese = entry.get("clean_text", True), entry.get("handle_chinese_chars", True)
    lower = entry.get("lowercase", True)
    accents = lower if entry.get("strip_accents") is None else entry["strip_accents"]
    blank = re.compile(f"[{SPACE}]")
    ascii_clean = {code: " " if chr(code) in "\t\n\r" else None for code in (*range(32), 127)}

    def normalise(text):
        if clean and text.isascii():
            text = text.translate(ascii_clean)
        elif clean:
            text = "".join(c for c in text if c in "\t\n\r" or not (c == "\ufffd" or unicodedata.category(c)[0] == "C"))
            text = blank.sub(" ", text)
        if chinese and not text.isascii():
            text = _CHINESE.sub(r" \1 ", text)
        if accents and not text.isascii():
            text = without_marks(unicodedata.normalize("NFD", text), "Mn")
        return lowered(text) if lower else text
    return normalise


def _replace(entry):
    pattern, content = _pattern(entry), entry.get("content", "")
    return lambda text: pattern.sub(lambda match: content, text)


def _nmt(entry):
    gone = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
    blank = re.compile("[\t\n\x0c\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")
    return lambda text: blank.sub(" ", gone.sub("", text))


def _normalizers(entry):
    steps = [normalizer(each) for each in _listed(entry, "normalizers")]

    def run(text):
        for step in steps:
            text = step(text)
        return text
    return run


NORMALIZERS = {
    "Sequence": _normalizers, "BertNormalizer": _bert_normalizer, "Strip": _stripped, "Replace": _replace, "Nmt": _nmt,
    "Lowercase": lambda entry: lowered, "StripAccents": lambda entry: lambda text: without_marks(text, "M"),
    "Prepend": lambda entry: lambda text: entry["prepend"] + text if text else text,
    "ByteLevel": lambda entry: to_letters, "Precompiled": lambda entry: CharsMap(entry.get("precompiled_charsmap")),
    **{form: (lambda entry, form=form: lambda text: unicodedata.normalize(form, text)) for form in
       ("NFC", "NFD", "NFKC", "NFKD")}}


def normalizer(entry):
    """A function from text to text.

    >>> from weft.text.tokenizers.steps import normalizer
    >>> normalizer({"type": "BertNormalizer"})("Un Été")
    'un ete'
    """
    return _step(entry, NORMALIZERS, "normalizer")


# cutting into words

def cut(text, pattern, behavior, invert=False):
    """The pieces of a text between and at a pattern's matches."""
    pieces, end = [], 0
    for match in pattern.finditer(text):
        if match.start() > end:
            pieces.append((text[end:match.start()], invert))
        if match.end() > match.start():
            pieces.append((match.group(), not invert))
        end = max(end, match.end())
    if end < len(text):
        pieces.append((text[end:], invert))
    if behavior == "Removed":
        return [piece for piece, matched in pieces if not matched]
    if behavior == "Isolated":
        return [piece for piece, _ in pieces]
    made, before = [], False
    for piece, matched in reversed(pieces) if behavior == "MergedWithNext" else pieces:
        joins = matched == before if behavior == "Contiguous" else matched and not before
        if joins and made:
            made[-1] = piece + made[-1] if behavior == "MergedWithNext" else made[-1] + piece
        else:
            made.append(piece)
        before = matched
    return made[::-1] if behavior == "MergedWithNext" else made


def _behavior(entry, usual="Isolated"):
    given = entry.get("behavior", usual)
    named = str(given).replace("_", "").lower()
    for name in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        if name.lower() == named:
            return name
    fail(ValueError, f"there is no behaviour {given!r} of a split", fix="look at the file")


class Cutter:
    """A pre-tokenizer: `split(text, first)` are words, and `word(piece)` is what the model is given of one."""

    word = None         # nothing is done with a word

    def __init__(self, split):
        self.split = split


def _by_pattern(make_pattern, usual="Isolated"):
    def make(entry):
        pattern, behavior, invert = make_pattern(entry), _behavior(entry, usual), entry.get("invert", False)
        if behavior == "Isolated" and pattern.groups == 0:
            return Cutter(lambda text, first: _isolated(text, pattern))
        return Cutter(lambda text, first: cut(text, pattern, behavior, invert))
    return make


def _isolated(text, pattern):
    """All pieces; where the matches are the whole text, as with GPT-2's pattern and its kin, they are enough."""
    found = pattern.findall(text)
    return found if sum(map(len, found)) == len(text) else cut(text, pattern, "Isolated")


def _byte_level(entry):
    prefix, pattern = entry.get("add_prefix_space", True), translate(GPT2) if entry.get("use_regex", True) else None

    def split(text, first):
        if prefix and not text.startswith(" "):
            text = " " + text
        return pattern.findall(text) if pattern else [text]
    made = Cutter(split)
    made.word = to_letters
    return made


def _metaspace(entry):
    mark = entry.get("replacement", "\u2581")
    scheme = entry.get("prepend_scheme", "always" if entry.get("add_prefix_space", True) else "never").lower()
    pattern, whole = re.compile(re.escape(mark)), not entry.get("split", True)

    def split(text, first):
        text = text.replace(" ", mark)
        if not text.startswith(mark) and (scheme == "always" or scheme == "first" and first):
            text = mark + text
        return [text] if whole else cut(text, pattern, "MergedWithNext")
    return Cutter(split)


def _bert_words(entry):
    words = translate(r"[^\s]+")
    mark = translate(r"[!-/:-@\[-`{-~\p{P}]")
    return Cutter(lambda text, first: [piece for word in words.findall(text) for piece in cut(word, mark, "Isolated")])


def _several(entry):
    steps = [pre_tokenizer(each) for each in _listed(entry, "pretokenizers", "pre_tokenizers")]

    def split(text, first):
        words = [text]
        for i, step in enumerate(steps):
            words = [piece for j, word in enumerate(words) for piece in step.split(word, first and j == 0) if piece]
            if step.word is not None and i < len(steps) - 1:
                words = [step.word(piece) for piece in words]
        return words
    made = Cutter(split)
    made.word = steps[-1].word if steps else None
    return made


_MORE = r"\u200c\u200d"      # what is a word's letter beside \w to this pre-tokenizer
PRE_TOKENIZERS = {
    "Sequence": _several, "ByteLevel": _byte_level, "Metaspace": _metaspace, "BertPreTokenizer": _bert_words,
    "Split": _by_pattern(_pattern), "Whitespace": lambda entry: _words(rf"[\w{_MORE}]+|[^\w\s{_MORE}]+"),
    "WhitespaceSplit": lambda entry: _words(r"[^\s]+"),
    "Punctuation": _by_pattern(lambda entry: translate(r"[!-/:-@\[-`{-~\p{P}]")),
    "Digits": lambda entry: _digits(entry),
    "CharDelimiterSplit": _by_pattern(lambda entry: re.compile(re.escape(entry["delimiter"])), "Removed")}


def _words(pattern):
    found = translate(pattern)
    return Cutter(lambda text, first: found.findall(text))


def _digits(entry):
    pattern, behavior = translate(r"\p{N}"), "Isolated" if entry.get("individual_digits", False) else "Contiguous"
    return Cutter(lambda text, first: cut(text, pattern, behavior))


def pre_tokenizer(entry):
    """A Cutter.

    >>> from weft.text.tokenizers.steps import pre_tokenizer
    >>> pre_tokenizer({"type": "BertPreTokenizer"}).split("It's so.", True)
    ['It', "'", 's', 'so', '.']
    """
    return _step(entry, PRE_TOKENIZERS, "pre-tokenizer")


# special tokens around

class Template:
    """Which pieces come in which order: a name 'A' or 'B' of a sequence, or a list of numbers, each with a type."""

    def __init__(self, single, pair):
        self.single, self.pair = single, pair

    def added(self, pair):
        return sum(len(what) for what, _ in (self.pair if pair else self.single) if not isinstance(what, str))

    def __call__(self, a, b=None):
        """[(number, type, whether it is special)] of one or two lists of numbers."""
        made = []
        for what, kind in self.single if b is None else self.pair:
            special = not isinstance(what, str)
            numbers = what if special else a if what == "A" else b
            made += [(number, kind, special) for number in numbers]
        return made


PLAIN = Template([("A", 0)], [("A", 0), ("B", 1)])


def _template(entry):
    numbers = {name: each["ids"] for name, each in entry["special_tokens"].items()}

    def pieces(items):
        return [(item["Sequence"]["id"], item["Sequence"]["type_id"]) if "Sequence" in item else
                (numbers[item["SpecialToken"]["id"]], item["SpecialToken"]["type_id"]) for item in items]
    return Template(pieces(entry["single"]), pieces(entry["pair"]))


def _bert(entry):
    sep, cls = [entry["sep"][1]], [entry["cls"][1]]
    return Template([(cls, 0), ("A", 0), (sep, 0)], [(cls, 0), ("A", 0), (sep, 0), ("B", 1), (sep, 1)])


def _roberta(entry):
    sep, cls = [entry["sep"][1]], [entry["cls"][1]]
    return Template([(cls, 0), ("A", 0), (sep, 0)], [(cls, 0), ("A", 0), (sep, 0), (sep, 0), ("B", 0), (sep, 0)])


def _post_processors(entry):
    real = [made for made in map(post_processor, _listed(entry, "processors")) if made is not PLAIN]
    if len(real) > 1:
        fail(NotImplementedError, "a tokenizer file with several templates in a row", fix="one is known")
    return real[0] if real else PLAIN


POST_PROCESSORS = {"TemplateProcessing": _template, "BertProcessing": _bert, "RobertaProcessing": _roberta,
                   "ByteLevel": lambda entry: PLAIN, "Sequence": _post_processors}


def post_processor(entry):
    """A Template.

    >>> from weft.text.tokenizers.steps import post_processor
    >>> post_processor({"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]})([7])
    [(1, 0, True), (7, 0, False), (2, 0, True)]
    """
    return _step(entry, POST_PROCESSORS, "post-processor")


# back to text

def _to_bytes(tokens):
    known = letter_bytes()
    raw = bytearray()
    for token in tokens:
        try:
            raw += bytes([known[letter] for letter in token])
        except KeyError:            # an added token stands for itself
            raw += token.encode("utf8", "surrogatepass")
    return [raw.decode("utf8", "replace")]


_TIDY = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
         (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))


def _wordpieces(entry):
    prefix, tidy = entry.get("prefix", "##"), entry.get("cleanup", True)

    def join(tokens):
        made = []
        for i, token in enumerate(tokens):
            if i:
                token = token[len(prefix):] if token.startswith(prefix) else " " + token
            for old, new in _TIDY if tidy else ():
                token = token.replace(old, new)
            made.append(token)
        return made
    return join


def _from_metaspace(entry):
    mark = entry.get("replacement", "\u2581")
    drop = entry.get("prepend_scheme", "always" if entry.get("add_prefix_space", True) else "never").lower() != "never"
    return lambda tokens: [token.replace(mark, "" if drop and i == 0 else " ") for i, token in enumerate(tokens)]


def _from_suffix(entry):
    suffix = entry.get("suffix", "</w>")
    return lambda tokens: [token.replace(suffix, "" if i == len(tokens) - 1 else " ") for i, token in enumerate(tokens)]


_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def _spelt_bytes(tokens):
    made, raw = [], bytearray()

    def flush():
        if raw:
            try:
                made.append(raw.decode("utf8"))
            except UnicodeDecodeError:
                made.extend("\ufffd" * len(raw))
            raw.clear()
    for token in tokens:
        match = _BYTE.fullmatch(token)
        if match:
            raw.append(int(match.group(1), 16))
        else:
            flush()
            made.append(token)
    flush()
    return made


def _strip_ends(entry):
    content, start, stop = entry["content"], entry.get("start", 0), entry.get("stop", 0)

    def strip(tokens):
        made = []
        for token in tokens:
            first = last = 0
            while first < min(start, len(token)) and token[first] == content:
                first += 1
            while last < min(stop, len(token) - first) and token[len(token) - 1 - last] == content:
                last += 1
            made.append(token[first:len(token) - last])
        return made
    return strip


def _decoders(entry):
    steps = [_step(each, DECODERS, "decoder") for each in _listed(entry, "decoders")]

    def run(tokens):
        for step in steps:
            tokens = step(tokens)
        return tokens
    return run


def _replace_each(entry):
    change = _replace(entry)
    return lambda tokens: [change(token) for token in tokens]


DECODERS = {"Sequence": _decoders, "ByteLevel": lambda entry: _to_bytes, "WordPiece": _wordpieces,
            "Metaspace": _from_metaspace, "BPEDecoder": _from_suffix, "Replace": _replace_each, "Strip": _strip_ends,
            "Fuse": lambda entry: lambda tokens: ["".join(tokens)], "ByteFallback": lambda entry: _spelt_bytes}


def decoder(entry):
    """A function from tokens to text.

    >>> from weft.text.tokenizers.steps import decoder
    >>> decoder({"type": "WordPiece"})(["play", "##ing", "."])
    'playing.'
    """
    steps = _step(entry, DECODERS, "decoder")
    return lambda tokens: "".join(steps(tokens))
