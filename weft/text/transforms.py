"""torchtext.transforms: from text to tensors, as modules that are put in a row."""
import re
import unicodedata

import weft
from weft.core.errors import fail
from weft.nn import Module
from weft.nn import Sequential as _Sequential
from weft.text import functional as F
from weft.text.tokenizers.models import BPE, WordPiece
from weft.text.tokenizers.patterns import translate
from weft.text.tokenizers.steps import letter_bytes, lowered, normalizer, pre_tokenizer, to_letters
from weft.text.tokenizers.tokenizer import Tokenizer, read_merges, read_vocab

__all__ = ["Sequential", "VocabTransform", "ToTensor", "LabelToIndex", "Truncate", "AddToken", "PadTransform",
           "StrToIntTransform", "GPT2BPETokenizer", "CLIPTokenizer", "CharBPETokenizer", "BERTTokenizer",
           "RegexTokenizer", "SentencePieceTokenizer", "MaskTransform"]


class Sequential(_Sequential):
    """Transforms in a row.

    >>> from weft.text.transforms import AddToken, Sequential, ToTensor, Truncate
    >>> Sequential(Truncate(2), AddToken(0), ToTensor())([5, 6, 7])
    tensor([0, 5, 6])
    """


class VocabTransform(Module):
    """Words to numbers, of a list or a batch of lists.

    >>> from weft.text.transforms import VocabTransform
    >>> from weft.text.vocab import Vocab
    >>> VocabTransform(Vocab(["a", "b"]))([["b"], ["a", "b"]])
    [[1], [0, 1]]
    """

    def __init__(self, vocab):
        super().__init__()
        self.vocab = vocab

    def forward(self, input):
        """Lists of numbers, shaped as the input.

        >>> from weft.text.transforms import VocabTransform
        >>> from weft.text.vocab import Vocab
        >>> VocabTransform(Vocab(["a"]))(["a"])
        [0]
        """
        if isinstance(input, str):
            return self.vocab[input]
        return [self.forward(each) for each in input]


class ToTensor(Module):
    """Lists of numbers to a tensor, padded to (batch, time) if padding_value is given.

    >>> from weft.text.transforms import ToTensor
    >>> ToTensor(padding_value=0)([[1], [2, 3]])
    tensor([[1, 0],
            [2, 3]])
    """

    def __init__(self, padding_value=None, dtype=weft.long):
        super().__init__()
        self.padding_value, self.dtype = padding_value, dtype

    def forward(self, input):
        """A tensor of a list, or (batch, time) of several.

        >>> from weft.text.transforms import ToTensor
        >>> ToTensor()([1])
        tensor([1])
        """
        return F.to_tensor(input, self.padding_value, self.dtype)


class LabelToIndex(Module):
    """Labels to their places in a list, or in a file with a label to a line; sorted if asked for.

    >>> from weft.text.transforms import LabelToIndex
    >>> LabelToIndex(["neg", "pos"])(["pos", "neg"])
    [1, 0]
    """

    def __init__(self, label_names=None, label_path=None, sort_names=False):
        super().__init__()
        if (label_names is None) == (label_path is None):
            fail(ValueError, "LabelToIndex takes label_names or label_path, one of them", fix="give one")
        if label_path is not None:
            with open(label_path, encoding="utf8") as file:
                label_names = [line.strip() for line in file if line.strip()]
        self._labels = sorted(label_names) if sort_names else list(label_names)
        self._index = {label: i for i, label in enumerate(self._labels)}

    @property
    def label_names(self):
        """The labels in order.

        >>> from weft.text.transforms import LabelToIndex
        >>> LabelToIndex(["pos", "neg"], sort_names=True).label_names
        ['neg', 'pos']
        """
        return self._labels

    def forward(self, input):
        """A number, or a list of them.

        >>> from weft.text.transforms import LabelToIndex
        >>> LabelToIndex(["neg", "pos"])("pos")
        1
        """
        return self._index[input] if isinstance(input, str) else [self._index[label] for label in input]


class Truncate(Module):
    """The first max_seq_len of each list.

    >>> from weft.text.transforms import Truncate
    >>> Truncate(2)([1, 2, 3])
    [1, 2]
    """

    def __init__(self, max_seq_len):
        super().__init__()
        self.max_seq_len = max_seq_len

    def forward(self, input):
        """Shorter lists, shaped as the input.

        >>> from weft.text.transforms import Truncate
        >>> Truncate(1)([[1, 2], [3]])
        [[1], [3]]
        """
        return F.truncate(input, self.max_seq_len)


class AddToken(Module):
    """A token before each list, or behind it.

    >>> from weft.text.transforms import AddToken
    >>> AddToken(9, begin=False)([1, 2])
    [1, 2, 9]
    """

    def __init__(self, token, begin=True):
        super().__init__()
        self.token, self.begin = token, begin

    def forward(self, input):
        """Longer lists, shaped as the input.

        >>> from weft.text.transforms import AddToken
        >>> AddToken(0)([[1], [2]])
        [[0, 1], [0, 2]]
        """
        return F.add_token(input, self.token, self.begin)


class PadTransform(Module):
    """A tensor (..., time) padded at its end to max_length.

    >>> import weft
    >>> from weft.text.transforms import PadTransform
    >>> PadTransform(4, 0)(weft.tensor([1, 2]))
    tensor([1, 2, 0, 0])
    """

    def __init__(self, max_length, pad_value):
        super().__init__()
        self.max_length, self.pad_value = max_length, float(pad_value)

    def forward(self, x):
        """A tensor (..., max_length), or x itself if it is longer.

        >>> import weft
        >>> from weft.text.transforms import PadTransform
        >>> PadTransform(1, 0)(weft.tensor([1, 2]))
        tensor([1, 2])
        """
        missing = self.max_length - x.size(-1)
        return weft.nn.functional.pad(x, (0, missing), value=self.pad_value) if missing > 0 else x


class StrToIntTransform(Module):
    """Numbers of text.

    >>> from weft.text.transforms import StrToIntTransform
    >>> StrToIntTransform()(["1", "2"])
    [1, 2]
    """

    def forward(self, input):
        """Numbers, shaped as the input.

        >>> from weft.text.transforms import StrToIntTransform
        >>> StrToIntTransform()([["1"], ["2"]])
        [[1], [2]]
        """
        return F.str_to_int(input)


class _FromText(Module):
    """One text or a list of them; `_tokens(text)` are tokens, `_texts(text)` what is given back."""

    def forward(self, input):
        """A list of text for a text (numbers are written as text, as torchtext does), a list of lists for several.

        >>> from weft.text.transforms import RegexTokenizer
        >>> RegexTokenizer([(r"[,.]", " ")])(["a,b", "c."])
        [['a', 'b'], ['c']]
        """
        return self._texts(input) if isinstance(input, str) else [self._texts(text) for text in input]


class GPT2BPETokenizer(_FromText):
    """GPT-2's byte-pair encoding, of encoder.json and vocab.bpe: numbers as text, or tokens with return_tokens.

    >>> from weft.text.transforms import GPT2BPETokenizer
    >>> _ = open("encoder.json", "w").write('{"a": 0, "b": 1, "ab": 2}')
    >>> _ = open("vocab.bpe", "w").write("#version: 0.2\\na b\\n")
    >>> GPT2BPETokenizer("encoder.json", "vocab.bpe")("abb")
    ['2', '1']
    """

    def __init__(self, encoder_json_path, vocab_bpe_path, return_tokens=False):
        super().__init__()
        self._tokenizer = Tokenizer.from_gpt2(encoder_json_path, vocab_bpe_path, special_tokens=())
        self._return_tokens = return_tokens

    def _texts(self, text):
        ids = self._tokenizer.encode_ids(text)
        return [self._tokenizer.id_to_token(i) for i in ids] if self._return_tokens else [str(i) for i in ids]

    def add_special_tokens(self, special_tokens_dict):
        """Let {kind: token or list of tokens} be tokens of their own; how many are new.

        >>> from weft.text.transforms import GPT2BPETokenizer
        >>> _ = open("encoder.json", "w").write('{"a": 0}'), open("vocab.bpe", "w").write("")
        >>> encode = GPT2BPETokenizer("encoder.json", "vocab.bpe")
        >>> encode.add_special_tokens({"unk_token": "<u>"}), encode("a<u>")
        (1, ['0', '1'])
        """
        values = special_tokens_dict.values()
        given = [each for value in values for each in ([value] if isinstance(value, str) else value)]
        return self._tokenizer.add_special_tokens(dict.fromkeys(given))

    def decode(self, tokens):
        """The text of numbers.

        >>> from weft.text.transforms import GPT2BPETokenizer
        >>> _ = open("encoder.json", "w").write('{"a": 0}'), open("vocab.bpe", "w").write("")
        >>> GPT2BPETokenizer("encoder.json", "vocab.bpe").decode(["0", "0"])
        'aa'
        """
        return self._tokenizer.decode([int(token) for token in tokens], skip_special_tokens=False)


_CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


class CLIPTokenizer(_FromText):
    """CLIP's byte-pair encoding, in lower case with </w> at the end of words; without encoder_json_path the numbers
    follow from the merges, as in CLIP's own file.

    >>> from weft.text.transforms import CLIPTokenizer
    >>> _ = open("merges.bpe", "w").write("#version: 0.2\\na b</w>\\n")
    >>> CLIPTokenizer("merges.bpe", return_tokens=True)("AB a")
    ['ab</w>', 'a</w>']
    """

    def __init__(self, merges_path, encoder_json_path=None, num_merges=None, return_tokens=False):
        super().__init__()
        merges = read_merges(merges_path)[:num_merges]
        if encoder_json_path is not None:
            vocab = read_vocab(encoder_json_path)
        else:
            letters = list(letter_bytes())
            words = [*letters, *(letter + "</w>" for letter in letters), *("".join(pair) for pair in merges),
                     "<|startoftext|>", "<|endoftext|>"]
            vocab = {word: i for i, word in enumerate(words)}
        self._model, self._pattern = BPE(vocab, merges, end_of_word_suffix="</w>"), translate(_CLIP)
        self._names, self._return_tokens = {number: word for word, number in vocab.items()}, return_tokens
        self._whole = {word: vocab[word] for word in ("<|startoftext|>", "<|endoftext|>") if word in vocab}

    def _texts(self, text):
        made = []
        for word in self._pattern.findall(lowered(text.strip())):
            made += [self._whole[word]] if word in self._whole else self._model.encode(to_letters(word))
        return [self._names[i] for i in made] if self._return_tokens else [str(i) for i in made]


class CharBPETokenizer(_FromText):
    """Byte-pair encoding of letters, words by spaces with </w> at their ends; numbers, or tokens with return_tokens.

    >>> from weft.text.transforms import CharBPETokenizer
    >>> _ = open("encoder.json", "w").write('{"a": 0, "b</w>": 1, "ab</w>": 2, "<unk>": 3}')
    >>> _ = open("merges.bpe", "w").write("a b</w>\\n")
    >>> CharBPETokenizer("encoder.json", "merges.bpe", unk_token="<unk>")("ab x")
    [2, 3]
    """

    def __init__(self, bpe_encoder_path, bpe_merges_path, return_tokens=False, unk_token=None, suffix="</w>",
                 special_tokens=None):
        super().__init__()
        vocab = read_vocab(bpe_encoder_path)
        for token in special_tokens or ():
            vocab.setdefault(token, len(vocab))
        self._model = BPE(vocab, read_merges(bpe_merges_path), unk_token, "", suffix)
        self._return_tokens = return_tokens
        self._names, self._whole = {number: word for word, number in vocab.items()}, set(special_tokens or ())
        self._suffix = suffix

    @property
    def vocab_size(self):
        """How many tokens there are.

        >>> from weft.text.transforms import CharBPETokenizer
        >>> _ = open("encoder.json", "w").write('{"a": 0}'), open("merges.bpe", "w").write("")
        >>> CharBPETokenizer("encoder.json", "merges.bpe").vocab_size
        1
        """
        return len(self._model.vocab)

    def decode(self, tokens):
        """The text of numbers or tokens.

        >>> from weft.text.transforms import CharBPETokenizer
        >>> _ = open("encoder.json", "w").write('{"a": 0, "b</w>": 1, "ab</w>": 2}')
        >>> _ = open("merges.bpe", "w").write("a b</w>\\n")
        >>> CharBPETokenizer("encoder.json", "merges.bpe").decode([2, 0, 1])
        'ab ab'
        """
        words = (token if isinstance(token, str) else self._names[token] for token in tokens)
        return "".join(words).replace(self._suffix, " ").rstrip()

    def _texts(self, text):
        made = []
        for word in text.split():
            made += [self._model.vocab[word]] if word in self._whole else self._model.encode(word)
        return [self._names[i] for i in made] if self._return_tokens else made


class BERTTokenizer(_FromText):
    """BERT's word pieces, of a vocab.txt with a piece to a line: numbers as text, or pieces with return_tokens.

    >>> from weft.text.transforms import BERTTokenizer
    >>> _ = open("vocab.txt", "w").write("[UNK]\\nplay\\n##ing\\n")
    >>> BERTTokenizer("vocab.txt", return_tokens=True)("Playing!")
    ['play', '##ing', '[UNK]']
    """

    def __init__(self, vocab_path, do_lower_case=True, strip_accents=None, return_tokens=False, never_split=None):
        super().__init__()
        with open(vocab_path, encoding="utf8") as file:
            self._names = [line.rstrip("\r\n") for line in file]
        self._model = WordPiece({word: i for i, word in enumerate(self._names)})
        self._clean = normalizer({"type": "BertNormalizer", "lowercase": do_lower_case, "strip_accents": strip_accents})
        self._words = pre_tokenizer({"type": "BertPreTokenizer"}).split
        self._never, self._return_tokens = sorted(never_split or ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"),
                                                  key=len, reverse=True), return_tokens
        self._apart = re.compile("(" + "|".join(map(re.escape, self._never)) + ")")

    def _texts(self, text):
        made = []
        for part in self._apart.split(text):
            if part in self._never:
                made += self._model.encode(part)
            else:
                for word in self._words(self._clean(part), True):
                    made += self._model.encode(word)
        return [self._names[i] for i in made] if self._return_tokens else [str(i) for i in made]


class RegexTokenizer(_FromText):
    """Replacements in order, [(pattern, text), ...], then split at spaces. The patterns are yours, so they run as they
    are.

    >>> from weft.text.transforms import RegexTokenizer
    >>> RegexTokenizer([(r"\\.", " . "), (r"\\s+", " ")])("It works. Well.")
    ['It', 'works', '.', 'Well', '.']
    """

    def __init__(self, patterns_list):
        super().__init__()
        self._steps = [(re.compile(pattern), text) for pattern, text in patterns_list]

    def _texts(self, text):
        for pattern, new in self._steps:
            text = pattern.sub(new, text)
        return text.split()


class SentencePieceTokenizer(_FromText):
    """A sentencepiece model's pieces; needs the package sentencepiece.

    >>> from weft.text.transforms import SentencePieceTokenizer
    >>> SentencePieceTokenizer("m.model")("a line")                 # doctest: +SKIP
    """

    def __init__(self, sp_model_path):
        super().__init__()
        from weft.text.data.functional import load_sp_model
        self.sp_model = load_sp_model(sp_model_path)

    def _texts(self, text):
        return self.sp_model.EncodeAsPieces(unicodedata.normalize("NFC", text))


class MaskTransform(Module):
    """Numbers chosen for masked language modelling: of those chosen some become mask_idx, some a random one, some stay.

    >>> import weft
    >>> from weft.text.transforms import MaskTransform
    >>> mask = MaskTransform(vocab_len=10, mask_idx=9, bos_idx=0, pad_idx=1, mask_bos=False, mask_prob=0.5)
    >>> kept, targets, chosen = mask(weft.tensor([[0, 5, 6, 7, 1]]))
    >>> kept.shape, bool(chosen[0, 4])
    (torch.Size([1, 5]), False)
    """

    def __init__(self, vocab_len, mask_idx, bos_idx, pad_idx, mask_bos=False, mask_prob=0.15, mask_mask_prob=0.8,
                 rand_mask_prob=0.1):
        super().__init__()
        self.vocab_len, self.mask_idx, self.bos_idx, self.pad_idx = vocab_len, mask_idx, bos_idx, pad_idx
        self.mask_bos, self.mask_prob = mask_bos, mask_prob
        self.mask_mask_prob, self.rand_mask_prob = mask_mask_prob, rand_mask_prob

    def forward(self, tokens):
        """(tokens with masks (batch, time), the chosen tokens' own numbers, which were chosen (batch, time)).

        >>> import weft
        >>> from weft.text.transforms import MaskTransform
        >>> MaskTransform(10, 9, 0, 1, mask_prob=0.0)(weft.tensor([[0, 5]]))[0]
        tensor([[0, 5]])
        """
        allowed = tokens != self.pad_idx
        if not self.mask_bos:
            allowed &= tokens != self.bos_idx
        chosen = (weft.rand(tokens.shape) < self.mask_prob) & allowed
        how = weft.rand(tokens.shape)
        masked = weft.where(chosen & (how < self.mask_mask_prob), self.mask_idx, tokens)
        other = chosen & (how >= self.mask_mask_prob) & (how < self.mask_mask_prob + self.rand_mask_prob)
        masked = weft.where(other, weft.randint(0, self.vocab_len, tokens.shape), masked)
        return masked, weft.masked_select(tokens, chosen), chosen
