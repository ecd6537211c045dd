"""weft.text: the classic fields and iterators, vocabularies, vectors, transforms, datasets."""
import collections
import csv
import gzip
import json
import os
import pickle
import random
import subprocess
import sys
import zipfile

import pytest

import weft
from weft.text import data, datasets, functional, legacy, transforms, vocab
from weft.text.data.functional import (
    custom_replace,
    filter_wikipedia_xml,
    numericalize_tokens_from_iterator,
    to_map_style_dataset,
)
from weft.text.data.metrics import bleu_score
from weft.text.data.utils import RandomShuffler, get_tokenizer, ngrams_iterator


def rows_of(fields, rows):
    return data.Dataset([data.Example.fromlist(row, fields) for row in rows], fields)


@pytest.fixture
def reviews():
    text, label = data.Field(lower=True, include_lengths=True), data.LabelField()
    rows = [("A good film", "pos"), ("bad", "neg"), ("so good so very good", "pos"), ("a bad bad film", "neg")]
    made = rows_of([("text", text), ("label", label)], rows)
    text.build_vocab(made)
    label.build_vocab(made)
    return made, text, label


# fields

def test_vocabulary_of_a_field(reviews):
    _, text, label = reviews
    assert text.vocab.itos == ["<unk>", "<pad>", "bad", "good", "a", "film", "so", "very"]
    assert label.vocab.itos == ["neg", "pos"] and text.vocab.stoi["zebra"] == 0 and text.vocab.freqs["good"] == 3


def test_a_batch_is_padded_and_numbered(reviews):
    made, text, label = reviews
    batch = data.Batch(made.examples[:2], made)
    tokens, lengths = batch.text
    assert tokens.tolist() == [[4, 2], [3, 1], [5, 1]] and lengths.tolist() == [3, 1]
    assert batch.label.tolist() == [1, 0] and batch.label.dtype is weft.int64 and len(batch) == 2
    (inputs, _), targets = batch
    assert inputs is tokens and targets is batch.label


@pytest.mark.parametrize("options, rows, wanted", [
    ({}, [["a", "b"], ["c"]], [["a", "b"], ["c", "<pad>"]]),
    ({"pad_first": True}, [["a", "b"], ["c"]], [["a", "b"], ["<pad>", "c"]]),
    ({"init_token": "<s>", "eos_token": "</s>"}, [["a"], []], [["<s>", "a", "</s>"], ["<s>", "</s>", "<pad>"]]),
    ({"fix_length": 3, "eos_token": "</s>"}, [["a", "b", "c"], ["d"]], [["a", "b", "</s>"], ["d", "</s>", "<pad>"]]),
    ({"fix_length": 2, "truncate_first": True}, [["a", "b", "c"]], [["b", "c"]]),
])
def test_padding(options, rows, wanted):
    assert data.Field(**options).pad(rows) == wanted


def test_numbers_without_a_vocabulary():
    score = data.Field(sequential=False, use_vocab=False, dtype=weft.float32)
    assert score.process(["1.5", "2"]).tolist() == [1.5, 2.0]
    steps = data.Field(use_vocab=False, pad_token=0, batch_first=True, tokenize=lambda line: [int(n) for n in line.split()])
    assert steps.process([steps.preprocess("1 2"), steps.preprocess("3")]).tolist() == [[1, 2], [3, 0]]


def test_pre_and_postprocessing():
    field = data.Field(preprocessing=lambda words: [word[0] for word in words], batch_first=True,
                       postprocessing=lambda rows, vocab: [[number * 10 for number in row] for row in rows])
    rows = [field.preprocess("apple bear")]
    field.build_vocab(rows)
    assert field.process(rows).tolist() == [[20, 30]]


def test_what_is_missing_is_said():
    with pytest.raises(AttributeError, match="build_vocab"):
        data.Field().process([["a"]])
    label = data.LabelField()
    label.build_vocab(["a"])
    with pytest.raises(KeyError, match="unk_token"):
        label.process(["b"])
    with pytest.raises(ValueError, match="sort_key"):
        data.Iterator(rows_of([], []), 2, train=False)
    with pytest.raises(ValueError, match="there is no tokenizer"):
        data.Field(tokenize="nonsense")


def test_nested_and_reversible():
    letters = data.NestedField(data.Field(tokenize=list, init_token="<", eos_token=">"), include_lengths=True)
    lines = [letters.preprocess(line) for line in ("ab c", "d")]
    letters.build_vocab(lines)
    numbers, words, lengths = letters.process(lines)
    assert numbers.shape == (2, 2, 4) and words.tolist() == [2, 1] and lengths.tolist() == [[4, 3], [3, 0]]
    texts = [[letters.vocab.itos[n] for n in token] for token in numbers[0].tolist()]
    assert texts == [["<", "a", "b", ">"], ["<", "c", ">", "<pad>"]]
    text = data.ReversibleField(init_token="<s>", eos_token="</s>", batch_first=True)
    lines = [text.preprocess(line) for line in ("one two", "three")]
    text.build_vocab(lines)
    assert text.reverse(text.process(lines)) == ["one two", "three"]


# examples and tables

def test_examples_of_dicts_json_and_trees():
    words, label = data.Field(), data.LabelField()
    nested = data.Example.fromJSON('{"a": {"b": [{"c": "x"}, {"c": "y"}]}, "l": "k"}',
                                   {"a.b.c": ("text", data.RawField()), "l": [("label", label), ("again", words)]})
    assert nested.text == ["x", "y"] and nested.label == "k" and nested.again == ["k"]
    with pytest.raises(ValueError, match="Specified key q was not found"):
        data.Example.fromdict({"a": 1}, {"q": ("q", words)})
    both = data.Example.fromlist(["a b"], [(("first", "second"), (words, data.RawField()))])
    assert both.first == ["a", "b"] and both.second == "a b"
    trees = data.Example.fromtree("(3 (2 It) (4 (2 really) (3 works)))", [("text", words), ("label", label)], subtrees=True)
    assert [(t.label, " ".join(t.text)) for t in trees] == [("3", "It really works"), ("2", "It"), ("4", "really works"),
                                                           ("2", "really"), ("3", "works")]


def test_tables(tmp_path):
    words, label = data.Field(), data.LabelField()
    (tmp_path / "a.csv").write_text('label,text\npos,"a, b\nc"\nneg,d\n')
    (tmp_path / "a.tsv").write_text("pos\ta b\nneg\tc\n")
    (tmp_path / "a.json").write_text('{"t": "a b", "l": "pos"}\n\n{"t": "c", "l": "neg"}\n')
    by_name = data.TabularDataset(tmp_path / "a.csv", "csv", {"text": ("words", words), "label": ("label", label)})
    assert [e.words for e in by_name] == [["a,", "b", "c"], ["d"]] and list(by_name.label) == ["pos", "neg"]
    in_order = data.TabularDataset(tmp_path / "a.csv", "csv", [("label", label), (None, None)], skip_header=True)
    assert list(in_order.label) == ["pos", "neg"]
    train, test = data.TabularDataset.splits(tmp_path, train="a.tsv", test="a.tsv", format="tsv",
                                             fields=[("label", label), ("words", words)])
    assert len(train) == len(test) == 2
    lines = data.TabularDataset(tmp_path / "a.json", "json", {"t": ("words", words)})
    assert list(lines.words) == [["a", "b"], ["c"]]
    with pytest.raises(ValueError, match="no column 'q'"):
        data.TabularDataset(tmp_path / "a.csv", "csv", {"q": ("q", words)})
    (tmp_path / "b.json").write_text("{nonsense\n")
    with pytest.raises(ValueError, match="line 1 .* is no JSON"):
        data.TabularDataset(tmp_path / "b.json", "json", {"t": ("words", words)})


def test_splits_keep_shares():
    fields = [("n", data.RawField()), ("label", data.RawField())]
    made = rows_of(fields, [(n, n % 3 == 0) for n in range(90)])
    train, valid, test = made.split([0.6, 0.3, 0.1], random_state=random.getstate())
    assert (len(train), len(valid), len(test)) == (54, 9, 27)
    assert sorted(e.n for part in (train, valid, test) for e in part) == list(range(90))
    train, test = made.split(0.8, stratified=True)
    assert sum(train.label) == 24 and sum(test.label) == 6
    state = random.getstate()
    again = [[e.n for e in made.split(0.5, random_state=state)[0]] for _ in range(2)]
    assert again[0] == again[1] and random.getstate() == state
    for wrong in (1.5, [0.1], [0, 0]):
        with pytest.raises(ValueError, match="[Ss]plit"):
            made.split(wrong)


# iterators

def numbers(values):
    fields = [("n", data.RawField())]
    return rows_of(fields, [[value] for value in values])


def test_buckets_are_of_like_length_and_cover_all():
    made = numbers(random.Random(0).sample(range(1000), 1000))
    batches = [batch.n for batch in data.BucketIterator(made, 10, sort_key=lambda e: e.n)]
    assert sorted(n for batch in batches for n in batch) == list(range(1000))
    assert all(max(batch) - min(batch) == 9 for batch in batches) and batches != sorted(batches)


def test_order_of_training_and_test_batches():
    made = numbers([3, 1, 2])
    train, test = data.Iterator.splits((made, made), batch_sizes=(2, 2), sort_key=lambda e: e.n)
    assert train.shuffle and not test.shuffle and [b.n for b in test] == [[2, 1], [3]]
    assert sorted(n for b in train for n in b.n) == [1, 2, 3] and len(train) == 2


def test_an_iterator_goes_on_where_it_was():
    made = numbers(range(20))
    first = data.Iterator(made, 3)
    walk = iter(first)
    head = [next(walk).n for _ in range(3)]
    state = first.state_dict()
    rest = [batch.n for batch in walk]
    second = data.Iterator(made, 3)
    second.load_state_dict(pickle.loads(pickle.dumps(state)))
    assert [batch.n for batch in second] == rest and len(head + rest) == 7


def test_batches_by_another_measure():
    words = numbers([4, 1, 1, 1, 9, 2])
    sizes = [batch.n for batch in data.Iterator(words, 4, train=False, sort=False,
                                                batch_size_fn=lambda e, count, size: size + e.n)]
    assert sizes == [[4], [1, 1, 1], [9], [2]]


def test_one_long_text():
    text = data.Field()
    made = rows_of([("text", text)], [["a b c d e f g h i j"]])
    text.build_vocab(made)
    steps = list(data.BPTTIterator(made, 2, 3))
    itos = text.vocab.itos
    first = [[itos[n] for n in row] for row in steps[0].text.t().tolist()]
    later = [[itos[n] for n in row] for row in steps[0].target.t().tolist()]
    assert first == [["a", "b", "c"], ["f", "g", "h"]] and later == [["b", "c", "d"], ["g", "h", "i"]]
    assert [step.text.shape for step in steps] == [(3, 2), (1, 2)] and len(data.BPTTIterator(made, 2, 3)) == 2


def test_shuffling_leaves_the_world_alone():
    state = random.getstate()
    shuffle = RandomShuffler(random.Random(7).getstate())
    assert shuffle(range(50)) == random.Random(7).sample(range(50), 50) and random.getstate() == state


# vocabularies and vectors

def test_classic_vocabulary():
    words = legacy.vocab.Vocab(collections.Counter("b b a a c".split()), min_freq=2, specials=["<unk>", "<x>"])
    assert words.itos == ["<unk>", "<x>", "a", "b"] and words["q"] == 0 and "q" not in words
    again = pickle.loads(pickle.dumps(words))
    assert again == words and again.stoi["q"] == 0
    last = legacy.vocab.Vocab({"a": 1}, specials=["<p>"], specials_first=False)
    assert last.itos == ["a", "<p>"]
    with pytest.raises(KeyError):
        last["q"]
    assert isinstance(vocab.Vocab(collections.Counter("ab")), legacy.vocab.Vocab)     # as programs of old torchtext call it


def test_newer_vocabulary():
    words = vocab.build_vocab_from_iterator([["b", "a"], ["b", "c"]], specials=["<unk>"])
    assert words.get_itos() == ["<unk>", "b", "a", "c"] and words(["c", "b"]) == [3, 1] and len(words) == 4
    with pytest.raises(RuntimeError, match="not found and default index is not set"):
        words["q"]
    words.set_default_index(words["<unk>"])
    assert words["q"] == 0 and words.lookup_tokens([1, 3]) == ["b", "c"]
    words.insert_token("new", 1)
    assert words["new"] == 1 and words["b"] == 2 and words.get_stoi()["c"] == 4
    for wrong in (lambda: words.insert_token("new", 0), lambda: words.insert_token("z", 9), lambda: words.lookup_token(-1)):
        with pytest.raises(RuntimeError):
            wrong()
    assert pickle.loads(pickle.dumps(words)).get_itos() == words.get_itos()
    assert vocab.vocab({"a": 2, "b": 1}, min_freq=2, specials=["<p>"], special_first=False).get_itos() == ["a", "<p>"]
    assert vocab.build_vocab_from_iterator([list("aabbbc")], specials=["<u>"], max_tokens=2).get_itos() == ["<u>", "b"]


VECTORS = "cat 1 2\ndog 3.5 -4e-1\nNew York 5 6\n"


@pytest.mark.parametrize("form", ["txt", "gz", "zip", "header"])
def test_vectors_from_files(tmp_path, form):
    name = "glove.6B.2d.txt"
    if form == "gz":
        (tmp_path / (name + ".gz")).write_bytes(gzip.compress(VECTORS.encode()))
    elif form == "zip":
        with zipfile.ZipFile(tmp_path / "glove.6B.zip", "w") as archive:
            archive.writestr(name, VECTORS)
            archive.writestr("glove.6B.3d.txt", "x 1 2 3\n")
    else:
        (tmp_path / name).write_text(("3 2\n" if form == "header" else "") + VECTORS)
    made = vocab.GloVe("6B", 2, cache=str(tmp_path))
    assert made.itos == ["cat", "dog", "New York"] and made.dim == 2 and len(made) == 3
    assert made.get_vecs_by_tokens(["dog", "emu", "CAT"], lower_case_backup=True).tolist() == \
        weft.tensor([[3.5, -0.4], [0, 0], [1, 2]]).tolist()
    text = data.Field()
    text.build_vocab([["cat", "emu"]], vectors=made)
    assert text.vocab.vectors.shape == (4, 2) and text.vocab.vectors[2].tolist() == [1.0, 2.0]
    text.build_vocab([["cat", "emu"]], vectors=[made, made])
    assert text.vocab.vectors[2].tolist() == [1.0, 2.0, 1.0, 2.0]


def test_vectors_that_are_none(tmp_path):
    for name, content in {"short": "a 1 2\nb 1\n", "words": "a 1 2\nb x y\n", "empty": ""}.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(RuntimeError, match="line 2|no vectors"):
            vocab.Vectors(name, cache=str(tmp_path))
    with pytest.raises(FileNotFoundError, match="weft downloads nothing"):
        vocab.GloVe("6B", 50, cache=str(tmp_path))
    with pytest.raises(ValueError, match="allowed pretrained vectors"):
        legacy.vocab.Vocab({"a": 1}, vectors="nonsense")
    filled = vocab.Vectors("v", cache=str(_write(tmp_path, "v", "a 1 2\n")), unk_init=lambda row: row + 7)
    assert filled["q"].tolist() == [7.0, 7.0]


def _write(folder, name, content):
    (folder / name).write_text(content)
    return folder


# functions

def test_basic_english():
    split = get_tokenizer("basic_english")
    assert split('He said: "It\'s <br />(so)!"') == ["he", "said", "it", "'", "s", "(", "so", ")", "!"]
    assert split("a<br;/>b") == ["a<br", "/>b"]      # the semicolon goes after the tag was looked for
    assert get_tokenizer(None)(" a  b ") == ["a", "b"] and get_tokenizer(str.upper) is str.upper
    assert list(ngrams_iterator(list("abc"), 3)) == ["a", "b", "c", "a b", "b c", "a b c"]


def test_bleu():
    candidate, reference = "my full pytorch test".split(), "completely different words here".split()
    assert bleu_score([candidate], [[reference]]) == 0.0 and bleu_score([candidate], [[candidate]]) == 1.0
    two = bleu_score([["my", "full", "pytorch", "test"], ["another", "sentence"]],
                     [[["my", "full", "pytorch", "test"], ["completely", "different"]], [["no", "match"]]])
    assert two == pytest.approx(0.8408964276313782)       # the example of torchtext's documentation
    with pytest.raises(ValueError, match="weights"):
        bleu_score([candidate], [[candidate]], max_n=2)


def test_small_functions():
    assert list(custom_replace([("S", "s"), (r"\s+", " ")])(["Sa  S"])) == ["sa s"]
    assert list(filter_wikipedia_xml(["<page>", "#REDIRECT x", "[[a|b]] &amp; 2 {{c}}"])) == ["b two"]
    assert [list(r) for r in numericalize_tokens_from_iterator({"a": 1, "b": 2}, [["a", "b"]], ["a"])] == [[2]]
    rows = to_map_style_dataset(range(3))
    assert len(rows) == 3 and rows[2] == 2


def test_transforms_in_a_row():
    words = vocab.Vocab(["<pad>", "<s>", "a", "b", "c"])
    steps = transforms.Sequential(transforms.VocabTransform(words), transforms.Truncate(2), transforms.AddToken(1),
                                  transforms.ToTensor(0), transforms.PadTransform(5, 0))
    assert steps([["a", "b", "c"], ["c"]]).tolist() == [[1, 2, 3, 0, 0], [1, 4, 0, 0, 0]]
    assert functional.str_to_int([["1"], ["2", "3"]]) == [[1], [2, 3]] and functional.truncate([1, 2], 1) == [1]
    assert transforms.LabelToIndex(["b", "a"], sort_names=True)(["a", "b"]) == [0, 1]


def test_masking_spares_what_it_should():
    weft.manual_seed(0)
    mask = transforms.MaskTransform(vocab_len=100, mask_idx=99, bos_idx=0, pad_idx=1, mask_prob=0.5)
    tokens = weft.randint(2, 50, (20, 30))
    tokens[:, 0], tokens[:, 25:] = 0, 1
    masked, targets, chosen = mask(tokens)
    assert not chosen[:, 0].any() and not chosen[:, 25:].any() and weft.equal(targets, tokens[chosen])
    assert weft.equal(masked[~chosen], tokens[~chosen])
    assert 0.7 < (masked[chosen] == 99).float().mean() < 0.9 and 0.4 < chosen[:, 1:25].float().mean() < 0.6


# datasets

def test_a_cell_may_be_long(tmp_path):
    long = "word " * 60_000
    (tmp_path / "train.csv").write_text(f'"2","{long}"\n')
    limit = csv.field_size_limit()
    assert list(datasets.AG_NEWS(str(tmp_path), split="train")) == [(2, long)]
    table = data.TabularDataset(tmp_path / "train.csv", "csv", [("n", data.RawField()), ("text", data.Field())])
    assert len(table[0].text) == 60_000 and csv.field_size_limit() == limit


def test_sets_from_local_files(tmp_path):
    (tmp_path / "AG_NEWS").mkdir()
    (tmp_path / "AG_NEWS" / "train.csv").write_text('"3","Title","Text, more"\n"1","A ""b""","c\nd"\n')
    rows = datasets.AG_NEWS(str(tmp_path), split="train")
    assert list(rows) == [(3, "Title Text, more"), (1, 'A "b" c\nd')] == list(rows)    # it can be gone through again
    loader = weft.utils.data.DataLoader(rows, batch_size=2, collate_fn=list)
    assert next(iter(loader)) == list(rows)
    for place, text in (("neg/1_2.txt", "Dull."), ("pos/1_9.txt", "Fine.")):
        path = tmp_path / "aclImdb" / "test" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert list(datasets.IMDB(str(tmp_path), split="test")) == [(1, "Dull."), (2, "Fine.")]
    (tmp_path / "wikitext-2").mkdir()
    (tmp_path / "wikitext-2" / "wiki.train.tokens").write_text(" = T = \n a b \n")
    assert list(datasets.WikiText2(str(tmp_path), split="train")) == [" = T = \n", " a b \n"]
    (tmp_path / "en-ud-tag.v2.dev.txt").write_text("I\tPRON\tPRP\n\n\nDo\tVERB\tVBP\nit\tPRON\tPRP\n")
    assert [len(s[0]) for s in datasets.UDPOS(str(tmp_path), split="valid")] == [1, 2]
    (tmp_path / "val.de").write_text("Ja\nNein\n")
    (tmp_path / "val.en").write_text("Yes\n")
    with pytest.raises(ValueError, match="val.en ends at line 1"):
        list(datasets.Multi30k(str(tmp_path), split="valid"))
    with pytest.raises(ValueError, match="has no split 'x'"):
        datasets.AG_NEWS(str(tmp_path), split="x")
    with pytest.raises(FileNotFoundError, match="weft downloads nothing"):
        list(datasets.AG_NEWS(str(tmp_path), split="test"))


def test_legacy_sets(tmp_path):
    (tmp_path / "train.txt").write_text("(4 (2 It) (3 works))\n(0 (2 No) (1 way))\n")
    (tmp_path / "dev.txt").write_text("(2 (2 So) (2 so))\n")
    text, label = data.Field(), data.LabelField()
    train, dev = legacy.datasets.SST.splits(text, label, root=str(tmp_path), test=None, fine_grained=True)
    assert list(train.label) == ["very positive", "very negative"] and list(dev.text) == [["So", "so"]]
    (tmp_path / "ptb.train.txt").write_text(" a b \n c \n")
    words, = legacy.datasets.PennTreebank.splits(text, root=str(tmp_path), validation=None, test=None)
    assert words[0].text == ["a", "b", "<eos>", "c", "<eos>"]


def test_trees_of_any_depth_and_no_trees():
    deep = "(1 " * 50_000 + "(2 x)" + ")" * 50_000
    node = datasets.parse_tree(deep)
    assert node.label == "1"
    kept = [node]           # a tuple of tuples so deep must not be freed by recursion: taken apart from above
    while kept:
        kept.extend(kept.pop().children)
    for wrong, why in (("", "empty"), ("(1 a", "not closed"), ("a", "begin it"), ("(1 a) b", "goes on"), ("()", "label"), (")", "opened")):
        with pytest.raises(ValueError, match=why):
            datasets.parse_tree(wrong)


def test_archives_stay_inside(tmp_path):
    from weft.text.utils import extract_archive
    path = tmp_path / "in" / "a.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../out.txt", "x")
    with pytest.raises(RuntimeError, match="outside"):
        extract_archive(str(path))
    assert not (tmp_path / "out.txt").exists()


# as torchtext

PROGRAM = """
import torch
import torchtext
from torchtext.legacy import data
from torchtext.data.utils import get_tokenizer
from torchtext.vocab import build_vocab_from_iterator, GloVe
import torchtext.transforms as T
torchtext.disable_torchtext_deprecation_warning()
words = build_vocab_from_iterator([get_tokenizer("basic_english")("A cat, a dog")], specials=["<unk>"])
print(T.Sequential(T.VocabTransform(words), T.ToTensor())(["a", "dog"]), type(words).__module__, torchtext.__version__)
print(torchtext.data.Field is data.Field, data.Field.__module__)
"""


@pytest.mark.skipif(__import__("importlib.util").util.find_spec("torchtext") is not None, reason="torchtext is installed")
def test_torchtext_is_weft_text_under_weft_run(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    made = subprocess.run([sys.executable, "-m", "weft", "run", str(tmp_path / "program.py")], capture_output=True, text=True,
                          timeout=120, env=os.environ)
    assert made.returncode == 0, made.stderr
    assert made.stdout.split("\n")[:2] == ["tensor([1, 4]) torchtext.vocab.vocab 0.18.0+weft",
                                           "True torchtext.data.field"]


def test_rows_of_json_are_objects(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([1, 2]) + "\n")
    with pytest.raises(ValueError, match="holds a list"):
        data.TabularDataset(tmp_path / "a.json", "json", {"t": ("t", data.Field())})
