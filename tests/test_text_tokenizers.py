"""Tokenizers from files. tests/data/tokenizers.json has nine small ones that Hugging Face's `tokenizers` trained, with what
that package made of the texts."""
import base64
import json
import pathlib
import random
import re
import struct
import unicodedata

import pytest

from weft.text import transforms
from weft.text.tokenizers import BPE, Tokenizer, Unigram, WordPiece
from weft.text.tokenizers.charsmap import CharsMap
from weft.text.tokenizers.patterns import GPT2, translate
from weft.text.tokenizers.steps import cut, normalizer, pre_tokenizer

KNOWN = json.loads((pathlib.Path(__file__).parent / "data" / "tokenizers.json").read_text())
NAMES = list(KNOWN["tokenizers"])


@pytest.mark.parametrize("name", NAMES)
def test_the_same_as_the_package_that_trained_it(name):
    known = KNOWN["tokenizers"][name]
    tokenizer = Tokenizer.from_str(json.dumps(known["file"]))
    for text, ids, decoded in zip(KNOWN["texts"], known["ids"], known["decoded"], strict=True):
        made = tokenizer.encode(text)
        assert made.ids == ids and tokenizer.decode(ids) == decoded, ascii(text)
        assert len(made.tokens) == len(made.attention_mask) == len(made.special_tokens_mask) == len(ids)
    for a, b, ids, types in zip(KNOWN["texts"], KNOWN["texts"][1:], known.get("pairs", []), known.get("types", [])):
        made = tokenizer.encode(a, b)
        assert made.ids == ids and made.type_ids == types


def test_gpt2_files(tmp_path):
    known = KNOWN["tokenizers"]["gpt2"]
    model = known["file"]["model"]
    (tmp_path / "vocab.json").write_text(json.dumps(model["vocab"]), encoding="utf8")
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf8")
    paths = str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    tokenizer = Tokenizer.from_gpt2(*paths)
    assert [tokenizer.encode(text).ids for text in KNOWN["texts"]] == known["ids"]
    assert all(tokenizer.decode(tokenizer.encode_ids(text)) == text for text in KNOWN["texts"])
    as_transform = transforms.GPT2BPETokenizer(*paths)
    assert as_transform(KNOWN["texts"][0]) == [str(i) for i in known["ids"][0]]
    assert as_transform.decode(as_transform("été!")) == "été!"
    assert as_transform.add_special_tokens({"pad_token": "<pad>"}) == 1 and as_transform("<pad>") == [str(len(model["vocab"]))]


def test_bert_vocabulary(tmp_path):
    known = KNOWN["tokenizers"]["bert"]
    vocab = sorted(known["file"]["model"]["vocab"].items(), key=lambda pair: pair[1])
    (tmp_path / "vocab.txt").write_text("\n".join(word for word, _ in vocab) + "\n", encoding="utf8")
    split = transforms.BERTTokenizer(str(tmp_path / "vocab.txt"))
    for text, ids in zip(KNOWN["texts"], known["ids"], strict=True):
        if not re.search(r"\[|[\x00-\x1f\x85]", text):
            assert split(text) == [str(i) for i in ids[1:-1]], ascii(text)
    words = transforms.BERTTokenizer(str(tmp_path / "vocab.txt"), return_tokens=True)
    assert words("a[SEP]b [MASK]") == ["a", "[SEP]", "b", "[MASK]"]


def test_merging_short_and_long_words_is_the_same():
    rng = random.Random(0)
    letters = "abc"
    vocab, merges = {letter: i for i, letter in enumerate(letters)}, []
    while len(merges) < 60:
        left, right = rng.choice(list(vocab)), rng.choice(list(vocab))
        if left + right not in vocab and len(left + right) < 8:
            vocab[left + right] = len(vocab)
            merges.append((left, right))
    model = BPE(vocab, merges)
    for _ in range(300):
        numbers = [rng.randrange(3) for _ in range(rng.randrange(1, 120))]
        assert model._merge_short(list(numbers)) == model._merge_long(list(numbers))


def test_unigram_finds_the_best_cut():
    rng = random.Random(1)
    pieces = sorted({"".join(rng.choice("ab") for _ in range(rng.randrange(1, 5))) for _ in range(20)} | {"a", "b"})
    scores = [("<unk>", 0.0), *((piece, -rng.random() * 10) for piece in pieces)]
    model, value = Unigram(scores, unk_id=0), dict(scores)

    def best(word):
        return 0.0 if not word else max(value[word[:n]] + best(word[n:]) for n in range(1, 5)
                                        if len(word) >= n and word[:n] in value)
    for _ in range(60):
        word = "".join(rng.choice("ab") for _ in range(rng.randrange(1, 11)))
        numbers = model.encode(word)
        assert "".join(scores[n][0] for n in numbers) == word
        assert sum(scores[n][1] for n in numbers) == pytest.approx(best(word))
    assert model.encode("axxb") == [model.vocab["a"], 0, model.vocab["b"]]


def test_letters_are_unicodes_own():
    letters, numbers = translate(r"^\p{L}$"), translate(r"^[\p{N}]$")
    for code in [*range(0x3000), *range(0x1f00, 0x2200), 0x3007, 0x4e00, 0x10107, 0x1d7ce, 0x20000, 0x1f600]:
        kind = unicodedata.category(chr(code))
        if chr(code) != "\n":
            assert bool(letters.match(chr(code))) == (kind[0] == "L") and bool(numbers.match(chr(code))) == (kind[0] == "N")
    assert translate(r"[^\P{L}]+").findall("ab1c") == ["ab", "c"] and translate(r"\x{e9}").match("é")
    assert translate(r"\w+").findall("e\u0301a ① Ⅷ_1 नमस्ते a²") == ["e\u0301a", "Ⅷ_1", "नमस्ते", "a²"]
    assert translate(r"[^\W\d]+").findall("a1b½c") == ["a", "b", "c"] and translate(r"[\W]+").findall("a½b") == ["½"]
    assert translate(GPT2).findall("\x1c a\x85b") == ["\x1c", " a", "\x85", "b"]


@pytest.mark.parametrize("pattern, text, wanted", [        # of well-known models
    (r" ?[^(\s|[.,!?…。，、।۔،])]+", "Ab c, (d)", ["Ab", " c", "d"]),
    (r"\s?\p{L}+|\s?\p{P}+|\s+$", "a b!", ["a", " b", "!"]),
    (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t)?|\p{N}{1,3}", "HiThere's 1234",
     ["Hi", "There's", "123", "4"])])
def test_patterns_of_models(pattern, text, wanted):
    assert translate(pattern).findall(text) == wanted


@pytest.mark.parametrize("behavior, wanted", [
    ("Removed", ["a", "b", "c"]), ("Isolated", ["a", "-", "b", "-", "-", "c"]), ("MergedWithPrevious", ["a-", "b-", "-", "c"]),
    ("MergedWithNext", ["a", "-b", "-", "-c"]), ("Contiguous", ["a", "-", "b", "--", "c"])])
def test_what_becomes_of_a_match(behavior, wanted):
    assert cut("a-b--c", re.compile("-"), behavior) == wanted


def test_added_tokens_take_their_spaces_along():
    entry = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"},
             "pre_tokenizer": {"type": "WhitespaceSplit"},
             "added_tokens": [{"id": 5, "content": "<m>", "lstrip": True, "special": True},
                              {"id": 6, "content": "ing", "single_word": True, "normalized": True},
                              {"id": 7, "content": "<m>x", "special": True}]}
    tokenizer = Tokenizer.from_str(json.dumps(entry))
    assert tokenizer.encode("b  <m> b").ids == [1, 5, 1] and tokenizer.encode("<m>x").ids == [7]
    assert tokenizer.encode("b ing bing").ids == [1, 6, 0]
    assert tokenizer.decode([1, 5, 6]) == "b ing" and tokenizer.decode([1, 5], skip_special_tokens=False) == "b <m>"


def test_normalised_letters_of_sentencepiece():
    """A table of two entries, made by hand: 'ﬁ' is 'fi', and '\\r\\n' together is a space."""
    entries = {"ﬁ".encode(): b"fi", b"\r\n": b" "}
    texts, places = b"", {}
    for key, text in entries.items():
        places[key] = len(texts)
        texts += text + b"\0"
    units = _double_array(places)
    raw = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + texts
    change = CharsMap(base64.b64encode(raw).decode())
    assert change("aﬁb\r\nc\rﬂ") == "afib c\rﬂ" and normalizer({"type": "Precompiled", "precompiled_charsmap":
                                                              base64.b64encode(raw).decode()})("ﬁﬁ") == "fifi"
    for broken in ("", "AAA", base64.b64encode(b"\xff\xff\xff\x7f").decode(), None):
        with pytest.raises(ValueError, match="normalised letters"):
            CharsMap(broken)
    assert isinstance(CharsMap(base64.b64encode(struct.pack("<I3I", 12, 1 << 31, 5, 7)).decode())("abc"), str)


def _double_array(places):
    """A trie as sentencepiece's files have it: unit = offset << 10 | has a leaf << 8 | byte; a leaf is 1 << 31 | value."""
    children = {}
    for key in places:
        for end in range(len(key)):
            children.setdefault(key[:end], set()).add(key[end])
    units, used, pending = {0: 0}, {0}, [(0, b"")]
    while pending:
        at, prefix = pending.pop()
        below, leaf = children.get(prefix, set()), prefix in places
        base = next(base for base in range(1, 5000) if all((at ^ base ^ byte) not in used for byte in (below | ({0} if leaf else set()))))
        units[at] = units.get(at, 0) | base << 10 | int(leaf) << 8
        for byte in below:
            place = at ^ base ^ byte
            used.add(place)
            units[place] = byte
            pending.append((place, prefix + bytes([byte])))
        if leaf:
            used.add(at ^ base)
            units[at ^ base] = 1 << 31 | places[prefix]
    return [units.get(i, 0) for i in range(max(units) + 1)]


@pytest.mark.parametrize("pattern", [r"(a+)+b", r"(?:\s*x?)*y", r"(a|b*)*c", r"(.)\1", "a" * 30_000, r"a*a*a*a*a*a*a*a*b",
                                     r"(?:(?:a{1,5000})b?)+c", r"(?:aa|a)*b", r"(a?a)*b", r".*.*x",
                                     r"[a[^b]]", r"[a-z&&[b]]", r"[[:alpha:]]", "(", r"\p{Nonsense}", "\\"])
def test_patterns_that_could_hang_are_refused(pattern):
    with pytest.raises(ValueError):
        translate(pattern)


@pytest.mark.parametrize("text, kind", [
    ("", ValueError), ("[]", ValueError), ("{}", ValueError), ("nonsense", ValueError), ("[" * 100_000, ValueError),
    ('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}', ValueError),
    ('{"model": {"type": "BPE", "vocab": {"a": "0"}, "merges": []}}', ValueError),
    ('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["abc"]}}', ValueError),
    ('{"model": {"type": "Unigram", "vocab": [["a", "x"]]}}', ValueError),
    ('{"model": {"type": "Future", "vocab": {}}}', NotImplementedError),
    ('{"model": {"type": "WordLevel", "vocab": {}}, "normalizer": {"type": "Future"}}', NotImplementedError),
    ('{"model": {"type": "WordLevel", "vocab": {}}, "normalizer": 3}', ValueError),
    ('{"model": {"type": "WordLevel", "vocab": {}}, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a+)+b"},'
     ' "behavior": "Isolated"}}', ValueError),
    ('{"model": {"type": "WordLevel", "vocab": {}}, "added_tokens": [{"id": 1}]}', ValueError),
    ('{"model": {"type": "WordLevel", "vocab": {}}, "post_processor": {"type": "BertProcessing"}}', ValueError)])
def test_files_that_are_none(text, kind):
    with pytest.raises(kind):
        Tokenizer.from_str(text)


def test_long_texts_take_their_time_only():
    """Half a million letters without a space, in each model: seconds would mean a square."""
    model = BPE({"a": 0, "aa": 1, "aaaa": 2}, [("a", "a"), ("aa", "aa")])
    assert model.encode("a" * 200_003) == [2] * 50_000 + [1, 0]
    assert WordPiece({"[UNK]": 0, "a": 1, "##a": 2}).encode("a" * 500_000) == [0]
    assert len(Unigram([("<unk>", 0.0), ("a", -1.0), ("a" * 300, -2.0)], unk_id=0).encode("a" * 20_001)) <= 20_001
    assert translate(GPT2).findall(" " * 300_000 + "x")[-1] == " x"


def test_other_steps():
    assert pre_tokenizer({"type": "Digits", "individual_digits": True}).split("a12b", True) == ["a", "1", "2", "b"]
    assert pre_tokenizer({"type": "CharDelimiterSplit", "delimiter": "|"}).split("a|b", True) == ["a", "b"]
    meta = pre_tokenizer({"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"})
    assert meta.split("a b", True) == ["_a", "_b"] and meta.split("a b", False) == ["a", "_b"]
    assert normalizer({"type": "Sequence", "normalizers": [{"type": "Strip"}, {"type": "Lowercase"}]})(" AΣ ") == "aσ"
    assert normalizer({"type": "Nmt"})("a\x01b\u200bc") == "ab c"


def test_clip(tmp_path):
    (tmp_path / "merges.txt").write_text("#version: 0.2\nc a\nca t</w>\n")
    split = transforms.CLIPTokenizer(str(tmp_path / "merges.txt"), return_tokens=True)
    assert split("Cat 12 <|endoftext|>") == ["cat</w>", "1</w>", "2</w>", "<|endoftext|>"]
    numbers = transforms.CLIPTokenizer(str(tmp_path / "merges.txt"))
    assert numbers(["cat"]) == [[str(512 + 1)]] and numbers("<|startoftext|>") == [str(512 + 2)]
