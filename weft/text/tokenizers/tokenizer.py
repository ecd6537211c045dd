"""A tokenizer of a file: text to numbers and back."""
import json
import re
from dataclasses import dataclass, field

from weft.core.errors import fail
from weft.text.tokenizers.models import BPE, Unigram, WordLevel, WordPiece
from weft.text.tokenizers.patterns import translate
from weft.text.tokenizers.steps import PLAIN, decoder, normalizer, post_processor, pre_tokenizer

__all__ = ["Tokenizer", "Encoding"]

KEPT = 1 << 17          # words whose numbers are remembered


@dataclass
class Encoding:
    """What became of a text: `ids`, `tokens`, `type_ids` (0 for the first text, 1 for the second), `attention_mask` (0
    where it is padded) and `special_tokens_mask`.

    >>> from weft.text.tokenizers import Encoding
    >>> len(Encoding([1, 2], ["a", "b"], [0, 0], [1, 1], [0, 0]))
    2
    """
    ids: list = field(default_factory=list)
    tokens: list = field(default_factory=list)
    type_ids: list = field(default_factory=list)
    attention_mask: list = field(default_factory=list)
    special_tokens_mask: list = field(default_factory=list)

    def __len__(self):
        return len(self.ids)


class Tokenizer:
    """Text to numbers and back, as a tokenizer file says.

    >>> from weft.text.tokenizers import BPE, Tokenizer
    >>> low = Tokenizer(BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
    >>> low.encode("lowo").ids, low.decode([4, 1])
    ([4, 1], 'low o')
    """

    def __init__(self, model, *, normalizer=None, pre_tokenizer=None, post_processor=None, decoder=None,
                 added_tokens=(), truncation=None, padding=None):
        self.model, self._normalise, self._cutter = model, normalizer, pre_tokenizer
        self._template, self._join = post_processor or PLAIN, decoder
        self.truncation, self.padding = truncation, padding
        self._ids, self._added, self._special = dict(model.vocab), {}, set()
        self._texts = {number: token for token, number in model.vocab.items()}
        self._seen = {}
        self._options = {}
        for token in added_tokens:
            self._add(token)
        self._find_tokens()

    # from files

    @classmethod
    def from_file(cls, path):
        """Of a tokenizer.json.

        >>> import json
        >>> from weft.text.tokenizers import Tokenizer
        >>> entry = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"},
        ...          "pre_tokenizer": {"type": "WhitespaceSplit"}}
        >>> _ = open("tokenizer.json", "w").write(json.dumps(entry))
        >>> Tokenizer.from_file("tokenizer.json").encode("b a b").ids
        [1, 0, 1]
        """
        with open(path, encoding="utf8") as file:
            return cls.from_str(file.read(), str(path))

    @classmethod
    def from_str(cls, text, name="the text"):
        """Of what is in a tokenizer.json.

        >>> from weft.text.tokenizers import Tokenizer
        >>> Tokenizer.from_str('{"model": {"type": "WordLevel", "vocab": {"a": 0}}}').get_vocab_size()
        1
        """
        try:
            entry = json.loads(text)
            return cls._of(entry)
        except json.JSONDecodeError as error:
            fail(ValueError, f"{name} is no JSON: {error}", fix="give a tokenizer.json")
        except RecursionError:
            fail(ValueError, f"{name} is nested too deeply", fix="don't trust this file")
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            fail(ValueError, f"{name} is no tokenizer file: {type(error).__name__} {error}",
                 fix="give a tokenizer.json")

    @classmethod
    def _of(cls, entry):
        def part(key, make):
            return make(entry[key]) if entry.get(key) is not None else None
        return cls(_model(entry["model"]), normalizer=part("normalizer", normalizer),
                   pre_tokenizer=part("pre_tokenizer", pre_tokenizer),
                   post_processor=part("post_processor", post_processor),
                   decoder=part("decoder", decoder), added_tokens=entry.get("added_tokens") or (),
                   truncation=entry.get("truncation"), padding=entry.get("padding"))

    @classmethod
    def from_gpt2(cls, vocab_path, merges_path, add_prefix_space=False, special_tokens=("<|endoftext|>",)):
        """Of GPT-2's two files: vocab.json (or encoder.json) and merges.txt (or vocab.bpe).

        >>> from weft.text.tokenizers import Tokenizer
        >>> _ = open("vocab.json", "w").write('{"a": 0, "b": 1, "ab": 2}')
        >>> _ = open("merges.txt", "w").write("#version: 0.2\\na b\\n")
        >>> Tokenizer.from_gpt2("vocab.json", "merges.txt").encode("aab").ids
        [0, 2]
        """
        vocab = read_vocab(vocab_path)
        known = [{"id": vocab[token], "content": token, "special": True} for token in special_tokens if token in vocab]
        return cls(BPE(vocab, read_merges(merges_path)), added_tokens=known,
                   pre_tokenizer=pre_tokenizer({"type": "ByteLevel", "add_prefix_space": add_prefix_space}),
                   decoder=decoder({"type": "ByteLevel"}))

    # tokens

    def _add(self, token):
        content, number = token["content"], token["id"]
        if not isinstance(content, str) or not content or type(number) is not int:
            fail(ValueError, f"an added token {str(token)[:60]!r}", fix="a text and a number")
        self._ids[content] = number
        self._texts[number] = content
        self._options[content] = token
        if token.get("special"):
            self._special.add(number)

    def add_special_tokens(self, tokens):
        """Let these texts be tokens of their own, with the next free numbers; how many are new.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> words = Tokenizer(WordLevel({"a": 0}))
        >>> words.add_special_tokens(["<s>"]), words.token_to_id("<s>")
        (1, 1)
        """
        return self._add_texts(tokens, True)

    def add_tokens(self, tokens):
        """As add_special_tokens, for tokens that decode() doesn't leave out.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> words = Tokenizer(WordLevel({"a": 0}))
        >>> words.add_tokens(["a", "b"])
        1
        """
        return self._add_texts(tokens, False)

    def _add_texts(self, tokens, special):
        new = 0
        for content in tokens:
            if content not in self._ids:
                new += 1
            number = self._ids.get(content, max(self._texts, default=-1) + 1)
            self._add({"content": content, "id": number, "special": special, "normalized": not special})
        self._find_tokens()
        return new

    def _find_tokens(self):
        """Patterns that find the added tokens: those of the raw text, and those of the normalised one."""
        raw = [text for text, token in self._options.items() if not token.get("normalized", not token.get("special"))]
        later = {self._normalise(text) if self._normalise else text: text for text in self._options if text not in raw}
        self._raw, self._later = _any_of({text: text for text in raw}), _any_of(later)

    def token_to_id(self, token):
        """A token's number, or None.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5})).token_to_id("a")
        5
        """
        return self._ids.get(token)

    def id_to_token(self, id):
        """A number's token, or None.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5})).id_to_token(5)
        'a'
        """
        return self._texts.get(id)

    def get_vocab(self, with_added_tokens=True):
        """A dict of tokens and numbers.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5})).get_vocab()
        {'a': 5}
        """
        return dict(self._ids if with_added_tokens else self.model.vocab)

    def get_vocab_size(self, with_added_tokens=True):
        """How many tokens there are.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5})).get_vocab_size()
        1
        """
        return len(self._ids if with_added_tokens else self.model.vocab)

    # to numbers

    def _numbers(self, text):
        """The numbers of a text, without what stands around it."""
        made, first = [], True
        for piece, number in _apart(text, *self._raw, self._options, self._ids):
            if number is not None:
                made.append(number)
            else:
                if self._normalise is not None:
                    piece = self._normalise(piece)
                for part, known in _apart(piece, *self._later, self._options, self._ids):
                    if known is not None:
                        made.append(known)
                    else:
                        self._words(part, first, made)
                    first = False
            first = False
        return made

    def _words(self, text, first, made):
        """Add the numbers of a stretch without added tokens."""
        if not text:
            return
        cutter, encode, seen = self._cutter, self.model.encode, self._seen
        if cutter is None:
            made += encode(text)
            return
        change = cutter.word
        for word in cutter.split(text, first):
            found = seen.get(word)
            if found is None:
                found = encode(word if change is None else change(word)) if word else []
                if len(seen) < KEPT and len(word) < 100:
                    seen[word] = found
            made += found

    def encode(self, sequence, pair=None, add_special_tokens=True):
        """An Encoding of a text, or of two.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5})).encode("a").tokens
        ['a']
        """
        made = self._encode(sequence, pair, add_special_tokens)
        return self._pad(made, len(made))

    def encode_batch(self, input, add_special_tokens=True):
        """Encodings of texts, or of pairs of texts; padded to one length if the file asks for it.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> [each.ids for each in Tokenizer(WordLevel({"a": 5})).encode_batch(["a", "a"])]
        [[5], [5]]
        """
        made = [self._encode(*(each if isinstance(each, (tuple, list)) else (each, None)), add_special_tokens)
                for each in input]
        longest = max(map(len, made), default=0)
        return [self._pad(each, longest) for each in made]

    def encode_ids(self, text):
        """The numbers alone, of one text and without special tokens around it: the quick way.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5})).encode_ids("a")
        [5]
        """
        return self._numbers(text)

    def _encode(self, sequence, pair, add_special_tokens):
        template = self._template if add_special_tokens else PLAIN
        a, b = self._numbers(sequence), None if pair is None else self._numbers(pair)
        if self.truncation:
            a, b = _truncated(a, b, self.truncation, template.added(pair is not None))
        rows = template(a, b)
        ids = [number for number, _, _ in rows]
        texts = self._texts
        return Encoding(ids, [texts.get(number, "") for number in ids], [kind for _, kind, _ in rows], [1] * len(ids),
                        [int(special) for _, _, special in rows])

    def _pad(self, made, longest):
        if not self.padding:
            return made
        options, strategy = self.padding, self.padding.get("strategy")
        size = strategy["Fixed"] if isinstance(strategy, dict) else longest
        multiple = options.get("pad_to_multiple_of") or 1
        missing = -(-size // multiple) * multiple - len(made)
        if missing <= 0:
            return made
        filling = ([options.get("pad_id", 0)] * missing, [options.get("pad_token", "[PAD]")] * missing,
                   [options.get("pad_type_id", 0)] * missing, [0] * missing, [1] * missing)
        parts = (made.ids, made.tokens, made.type_ids, made.attention_mask, made.special_tokens_mask)
        left = str(options.get("direction", "Right")).lower() == "left"
        return Encoding(*(new + old if left else old + new for old, new in zip(parts, filling, strict=True)))

    # and back

    def decode(self, ids, skip_special_tokens=True):
        """The text of numbers.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5, "b": 6})).decode([5, 6])
        'a b'
        """
        tokens = [self._texts[number] for number in ids
                  if number in self._texts and not (skip_special_tokens and number in self._special)]
        return " ".join(tokens) if self._join is None else self._join(tokens)

    def decode_batch(self, sequences, skip_special_tokens=True):
        """The texts of lists of numbers.

        >>> from weft.text.tokenizers import Tokenizer, WordLevel
        >>> Tokenizer(WordLevel({"a": 5})).decode_batch([[5], []])
        ['a', '']
        """
        return [self.decode(ids, skip_special_tokens) for ids in sequences]


def read_vocab(path):
    """{token: number} of a JSON file."""
    with open(path, encoding="utf8") as file:
        try:
            made = json.load(file)
        except (ValueError, RecursionError) as error:
            fail(ValueError, f"{path} is no JSON: {error}", fix="give vocab.json or encoder.json")
    if not isinstance(made, dict):
        fail(ValueError, f"{path} holds a {type(made).__name__}", fix="give vocab.json or encoder.json")
    return made


def read_merges(path):
    """[(left, right)] of a file with a pair to a line."""
    made = []
    with open(path, encoding="utf8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\r\n")
            if not line or number == 1 and line.startswith("#version"):
                continue
            made.append(_pair(line, f"line {number} of {path}"))
    return made


def _pair(merge, where="a merge"):
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
        fail(ValueError, f"{where} is {str(merge)[:60]!r}", fix="two tokens with a space between them")
    return tuple(parts)


def _model(entry):
    kind = entry.get("type") or ("BPE" if "merges" in entry else "Unigram" if isinstance(entry["vocab"], list) else
                                 "WordPiece" if "continuing_subword_prefix" in entry else "WordLevel")
    if kind == "BPE":
        return BPE(entry["vocab"], [_pair(merge) for merge in entry["merges"]], entry.get("unk_token"),
                   entry.get("continuing_subword_prefix") or "", entry.get("end_of_word_suffix") or "",
                   entry.get("fuse_unk", False), entry.get("byte_fallback", False), entry.get("ignore_merges", False))
    if kind == "WordPiece":
        return WordPiece(entry["vocab"], entry.get("unk_token", "[UNK]"), entry.get("continuing_subword_prefix", "##"),
                         entry.get("max_input_chars_per_word", 100))
    if kind == "Unigram":
        return Unigram(entry["vocab"], entry.get("unk_id"), entry.get("byte_fallback", False))
    if kind == "WordLevel":
        return WordLevel(entry["vocab"], entry.get("unk_token"))
    fail(NotImplementedError, f"the model '{kind}' is not known here",
         fix="known are BPE, WordPiece, Unigram, WordLevel")


def _any_of(texts):
    """(a pattern for any of the texts, the longest first, or None; {what is found: the token})."""
    found = {text: token for text, token in texts.items() if text}
    return re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True)))) if found else None, found


def _apart(text, pattern, tokens, options, ids):
    """[(a stretch of text, None) or (token, its number)], with the spaces around a token that belong to it."""
    if pattern is None:
        return [(text, None)]
    made, end = [], 0
    space, word = translate(r"\s"), re.compile(r"\w")
    for match in pattern.finditer(text):
        token = tokens[match.group()]
        start, stop, how = match.start(), match.end(), options[token]
        if start < end or how.get("single_word") and (start and word.match(text[start - 1]) or
                                                      stop < len(text) and word.match(text[stop])):
            continue
        while how.get("lstrip") and start > end and space.match(text[start - 1]):
            start -= 1
        while how.get("rstrip") and stop < len(text) and space.match(text[stop]):
            stop += 1
        if start > end:
            made.append((text[end:start], None))
        made.append((token, ids[token]))
        end = stop
    if end < len(text):
        made.append((text[end:], None))
    return made


def _truncated(a, b, options, added):
    """One or two lists cut so that they fit with the special tokens."""
    room = max(options["max_length"] - added, 0)
    left = str(options.get("direction", "Right")).lower() == "left"

    def keep(numbers, count):
        return numbers[max(len(numbers) - count, 0):] if left else numbers[:count]
    if b is None:
        return keep(a, room), None
    if len(a) + len(b) <= room:
        return a, b
    strategy = str(options.get("strategy", "LongestFirst"))
    if strategy == "OnlyFirst":
        return keep(a, max(room - len(b), 0)), b
    if strategy == "OnlySecond":
        return a, keep(b, max(room - len(a), 0))
    short, long = sorted((len(a), len(b)))
    long = short if short > room else max(short, room - short)
    if short + long > room:
        short, long = room // 2, room // 2 + room % 2
    return (keep(a, long), keep(b, short)) if len(a) > len(b) else (keep(a, short), keep(b, long))
