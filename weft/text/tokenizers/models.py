"""From a word to pieces: byte-pair merges, WordPiece, Unigram, and whole words. Each keeps what it found of a word."""
import heapq
import math

from weft.core.errors import fail

__all__ = ["BPE", "WordPiece", "Unigram", "WordLevel"]

KEPT = 1 << 17          # words whose pieces are remembered
SHORT = 48              # from here on merges are found with a heap: n log n for any word


class _Model:
    """A vocabulary and `pieces(word)`: the numbers of a word, remembered."""

    def __init__(self, vocab, unk_token):
        if not isinstance(vocab, dict):
            fail(ValueError, f"a vocabulary is a dict of tokens and numbers, not a {type(vocab).__name__}",
                 fix="look at the file")
        for token, number in vocab.items():
            if not isinstance(token, str) or type(number) is not int or number < 0:
                fail(ValueError, f"the vocabulary has {token!r}: {number!r}",
                     fix="tokens are text, numbers are from 0 on")
        self.vocab, self.unk_token, self._known = vocab, unk_token, {}

    def encode(self, word):
        """The numbers of a word's pieces.

        >>> from weft.text.tokenizers import WordLevel
        >>> WordLevel({"a": 3}).encode("a")
        [3]
        """
        found = self._known.get(word)
        if found is None:
            found = self._pieces(word)
            if len(self._known) < KEPT and len(word) < 100:
                self._known[word] = found
        return found

    def _unknown(self):
        number = self.vocab.get(self.unk_token)
        return [] if number is None else [number]


class WordLevel(_Model):
    """Whole words; others are unk_token.

    >>> from weft.text.tokenizers import WordLevel
    >>> WordLevel({"<unk>": 0, "cat": 1}, unk_token="<unk>").encode("dog")
    [0]
    """

    def __init__(self, vocab, unk_token=None):
        super().__init__(vocab, unk_token)

    def _pieces(self, word):
        number = self.vocab.get(word)
        return self._unknown() if number is None else [number]


class BPE(_Model):
    """Byte-pair merges: the pair of neighbours that stands first in `merges` is joined, until there is none.

    >>> from weft.text.tokenizers import BPE
    >>> BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]).encode("lowo")
    [4, 1]
    """

    def __init__(self, vocab, merges, unk_token=None, continuing_subword_prefix="", end_of_word_suffix="",
                 fuse_unk=False, byte_fallback=False, ignore_merges=False):
        super().__init__(vocab, unk_token)
        self.prefix, self.suffix = continuing_subword_prefix or "", end_of_word_suffix or ""
        self.fuse_unk, self.byte_fallback, self.ignore_merges = fuse_unk, byte_fallback, ignore_merges
        self._ranks = {}        # (number, number) -> (rank, number of both)
        cut = len(self.prefix)
        for rank, (left, right) in enumerate(merges):
            both = left + (right[cut:] if cut and right.startswith(self.prefix) else right)
            try:
                pair = vocab[left], vocab[right]
                self._ranks[pair] = rank, vocab[both]
            except KeyError as error:
                fail(ValueError, f"merge {rank}, {left!r} and {right!r}: the vocabulary has no {error.args[0]!r}",
                     fix="the vocabulary and the merges belong to different tokenizers")
        self._bytes = [vocab.get(f"<0x{byte:02X}>") for byte in range(256)] if byte_fallback else None

    def _pieces(self, word):
        if self.ignore_merges and word in self.vocab:
            return [self.vocab[word]]
        numbers = self._letters(word)
        return self._merge_short(numbers) if len(numbers) < SHORT else self._merge_long(numbers)

    def _letters(self, word):
        """The numbers of a word's letters, with the prefix or suffix that they have there."""
        vocab, last, made, unknown = self.vocab, len(word) - 1, [], False
        for i, letter in enumerate(word):
            form = (self.prefix if i else "") + letter + (self.suffix if i == last else "")
            number = vocab.get(form)
            if number is not None:
                made.append(number)
                unknown = False
                continue
            spelt = [self._bytes[byte] for byte in form.encode("utf8", "surrogatepass")] if self._bytes else [None]
            if None not in spelt:
                made += spelt
                unknown = False
            elif not (self.fuse_unk and unknown):
                made += self._unknown()
                unknown = True
        return made

    def _merge_short(self, numbers):
        ranks = self._ranks
        while len(numbers) > 1:
            best, where = None, 0
            for i in range(len(numbers) - 1):
                found = ranks.get((numbers[i], numbers[i + 1]))
                if found is not None and (best is None or found[0] < best[0]):
                    best, where = found, i
            if best is None:
                break
            numbers[where:where + 2] = [best[1]]
        return numbers

    def _merge_long(self, numbers):
        """The same with a heap of pairs over a linked list."""
        ranks, size = self._ranks, len(numbers)
        before, behind = list(range(-1, size - 1)), list(range(1, size + 1))
        pairs = []
        for i in range(size - 1):
            found = ranks.get((numbers[i], numbers[i + 1]))
            if found is not None:
                pairs.append((found[0], i, numbers[i], numbers[i + 1], found[1]))
        heapq.heapify(pairs)
        while pairs:
            _, i, left, right, both = heapq.heappop(pairs)
            j = behind[i]
            if numbers[i] != left or j >= size or numbers[j] != right:
                continue            # one of the two was joined with another
            numbers[i], numbers[j] = both, None
            behind[i] = behind[j]
            if behind[j] < size:
                before[behind[j]] = i
            for first, second in ((before[i], i), (i, behind[i])):
                if first >= 0 and second < size:
                    found = ranks.get((numbers[first], numbers[second]))
                    if found is not None:
                        heapq.heappush(pairs, (found[0], first, numbers[first], numbers[second], found[1]))
        return [number for number in numbers if number is not None]


class WordPiece(_Model):
    """The longest piece that fits, then the longest of what is left, with a prefix; a word that doesn't work out is
    unk_token.

    >>> from weft.text.tokenizers import WordPiece
    >>> WordPiece({"[UNK]": 0, "play": 1, "##ing": 2}).encode("playing")
    [1, 2]
    """

    def __init__(self, vocab, unk_token="[UNK]", continuing_subword_prefix="##", max_input_chars_per_word=100):
        super().__init__(vocab, unk_token)
        self.prefix, self.most = continuing_subword_prefix, max_input_chars_per_word
        self._longest = max(map(len, vocab), default=0)

    def _pieces(self, word):
        if len(word) > self.most:
            return self._unknown()
        start, made = 0, []
        while start < len(word):
            front = self.prefix if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self.vocab.get(front + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown()
            made.append(number)
            start = end
        return made


class Unigram(_Model):
    """The most probable way to cut a word: `scores` are [(piece, log probability), ...], numbered in order.

    >>> from weft.text.tokenizers import Unigram
    >>> Unigram([("<unk>", 0.0), ("a", -2.0), ("b", -2.0), ("ab", -3.0)], unk_id=0).encode("aab")
    [1, 3]
    """

    def __init__(self, scores, unk_id=None, byte_fallback=False):
        for entry in scores:
            if len(entry) != 2 or not isinstance(entry[1], (int, float)) or not math.isfinite(entry[1]):
                fail(ValueError, f"the vocabulary has {entry!r}", fix="a piece and its log probability")
        super().__init__({piece: i for i, (piece, _) in reversed(list(enumerate(scores)))}, None)
        self.unk_id = unk_id
        self._scores = {piece: (score, self.vocab[piece]) for piece, score in reversed(list(scores))}
        self._lengths = sorted({len(piece) for piece, _ in scores if piece})
        self._least = min((score for _, score in scores), default=0.0) - 10.0
        self._bytes = [self.vocab.get(f"<0x{byte:02X}>") for byte in range(256)] if byte_fallback else None

    def _pieces(self, word):
        size, scores = len(word), self._scores
        best = [(0.0, 0, None)] + [(-math.inf, 0, None)] * size        # score, where the last piece begins, its number
        for start in range(size):
            base = best[start][0]
            single = False
            for length in self._lengths:
                end = start + length
                if end > size:
                    break
                found = scores.get(word[start:end])
                if found is not None:
                    single = single or length == 1
                    if base + found[0] > best[end][0]:
                        best[end] = base + found[0], start, found[1]
            if not single and base + self._least > best[start + 1][0]:
                best[start + 1] = base + self._least, start, None
        made, end = [], size
        while end:
            _, start, number = best[end]
            made.append((start, end, number))
            end = start
        return self._numbers(word, reversed(made))

    def _numbers(self, word, cuts):
        made, unknown = [], ""
        for start, end, number in cuts:
            if number is None or number == self.unk_id:
                unknown += word[start:end]
                continue
            made += [*self._spell(unknown), number]
            unknown = ""
        return made + self._spell(unknown)

    def _spell(self, text):
        """The numbers of a stretch that has no pieces."""
        if not text:
            return []
        if self._bytes is not None:
            spelt = [self._bytes[byte] for byte in text.encode("utf8", "surrogatepass")]
            if None not in spelt:
                return spelt
        return [] if self.unk_id is None else [self.unk_id]
