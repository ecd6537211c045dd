"""The commonest mistakes of PyTorch's users, and what weft says to each, beside what PyTorch says.

    python tools/mistakes.py            # writes docs/mistakes.md; PyTorch's side needs torch
    python tools/mistakes.py --print    # weft's messages only, to the terminal

`tests/test_mistakes.py` runs the same table: every mistake still raises its type with its words, in few frames.
"""
import argparse
import importlib
import linecache
import os
import sys
import traceback
import warnings

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = "train.py"           # what the mistakes' lines say that they stand in


class Mistake:
    """A few lines that go wrong, the type of the error, and words that its message must have."""

    def __init__(self, title, kind, words, code):
        self.title, self.kind, self.words, self.code = title, kind, words, code.strip("\n")


MISTAKES = [
    # shapes
    Mistake("a product of matrices that don't fit", "RuntimeError", ["(2x3 and 2x3)", "train.py:1", "fix:"], """
y = torch.ones(2, 3) @ torch.ones(2, 3)
"""),
    Mistake("a Linear of another size", "RuntimeError", ["5 features", "takes 3", "Net.fc", "train.py:7"], """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc(x)

Net()(torch.ones(2, 5))
"""),
    Mistake("images that weren't flattened before a Linear", "RuntimeError", ["[8, 1, 28, 28]", "flatten(1)"], """
nn.Linear(784, 10)(torch.ones(8, 1, 28, 28))
"""),
    Mistake("images with their channels last", "RuntimeError", ["3 channels", "permute(0, 3, 1, 2)"], """
nn.Conv2d(3, 8, 3)(torch.ones(4, 32, 32, 3))
"""),
    Mistake("an image without its channel", "RuntimeError", ["[28, 28]", "unsqueeze(0)"], """
nn.Conv2d(1, 8, 3)(torch.ones(28, 28))
"""),
    Mistake("joining tensors of different sizes", "RuntimeError", ["[2, 3]", "[3, 2]", "train.py:1"], """
torch.cat([torch.ones(2, 3), torch.ones(3, 2)], dim=0)
"""),
    Mistake("stacking tensors of different sizes", "RuntimeError", ["[3]", "[2]", "fix:"], """
torch.stack([torch.ones(3), torch.ones(2)])
"""),
    Mistake("adding shapes that don't broadcast", "RuntimeError", ["[2, 3]", "[2]", "fix:"], """
torch.ones(2, 3) + torch.ones(2)
"""),
    Mistake("a view of another number of elements", "RuntimeError", ["[4, 2]", "size 6", "fix:"], """
torch.ones(2, 3).view(4, 2)
"""),
    Mistake("view of a transposed tensor", "RuntimeError", ["reshape", "train.py:1"], """
torch.ones(2, 3).t().view(6)
"""),
    Mistake("-1 twice in reshape", "RuntimeError", ["only one dimension can be inferred", "[-1, -1]", "fix:"], """
torch.ones(2, 3).reshape(-1, -1)
"""),
    Mistake("expand of a dimension that isn't 1", "RuntimeError", ["[3, 3]", "[2, 3]", "fix:"], """
torch.ones(2, 3).expand(3, 3)
"""),
    Mistake("a dimension that isn't there", "IndexError", ["[-2, 1], but got 2", "shape [2, 3]", "train.py:1"], """
torch.ones(2, 3).softmax(dim=2)
"""),
    Mistake("an index that isn't there", "IndexError", ["5", "size 3", "train.py:1"], """
torch.ones(3)[5]
"""),

    # losses
    Mistake("classes that are floats", "RuntimeError", ["Long", ".long()", "train.py:1"], """
F.cross_entropy(torch.ones(4, 3), torch.tensor([0., 1., 2., 0.]))
"""),
    Mistake("a class that isn't there", "IndexError", ["Target 3 is out of bounds", "0 to 2", "train.py:1"], """
F.cross_entropy(torch.ones(4, 3), torch.tensor([0, 1, 2, 3]))
"""),
    Mistake("one-hot classes as integers", "RuntimeError", ["argmax(1)", "train.py:1"], """
F.cross_entropy(torch.ones(4, 3), F.one_hot(torch.tensor([0, 1, 2, 0]), 3))
"""),
    Mistake("a target with one dimension too many", "RuntimeError", ["[4, 1]", "squeeze(1)"], """
F.cross_entropy(torch.ones(4, 3), torch.zeros(4, 1, dtype=torch.long))
"""),
    Mistake("a binary target of another shape", "ValueError", ["[4]", "[4, 1]", "fix:"], """
F.binary_cross_entropy_with_logits(torch.ones(4, 1), torch.ones(4))
"""),
    Mistake("a binary target of integers", "RuntimeError", ["Long", "Float", "train.py:1"], """
F.binary_cross_entropy(torch.full((4,), 0.5), torch.tensor([0, 1, 1, 0]))
"""),

    # gradients
    Mistake("a write into a leaf", "RuntimeError", ["leaf", "no_grad()", "train.py:2"], """
w = torch.ones(3, requires_grad=True)
w += 1
"""),
    Mistake("a write into a value that backward needs", "RuntimeError", ["train.py:2", "train.py:3", "fix:"], """
w = torch.ones(3, requires_grad=True)
y = w.exp()
y += 1
y.sum().backward()
"""),
    Mistake("backward twice", "RuntimeError", ["second time", "retain_graph=True", "train.py:2"], """
w = torch.ones(3, requires_grad=True)
loss = (w * w).sum()
loss.backward()
loss.backward()
"""),
    Mistake("backward from many values", "RuntimeError", ["scalar", "[3]", "sum()"], """
w = torch.ones(3, requires_grad=True)
(w * 2).backward()
"""),
    Mistake("backward where nothing requires grad", "RuntimeError", ["does not require grad", "requires_grad", "fix:"],
            """
x = torch.ones(3)
(x * 2).sum().backward()
"""),
    Mistake("backward through no_grad", "RuntimeError", ["does not require grad", "train.py:2", "fix:"], """
model = nn.Linear(3, 1)
with torch.no_grad():
    loss = model(torch.ones(2, 3)).sum()
loss.backward()
"""),
    Mistake("numpy() of a tensor that requires grad", "RuntimeError", ["detach().numpy()", "train.py:1"], """
torch.ones(3, requires_grad=True).numpy()
"""),
    Mistake("the gradient of integers", "RuntimeError", ["floating point", "train.py:1"], """
torch.tensor([1, 2, 3], requires_grad=True)
"""),

    # types, values, devices
    Mistake("double beside float", "RuntimeError", ["float64", "float32", "input.float()", "layer.double()"], """
nn.Linear(3, 4)(torch.ones(2, 3, dtype=torch.float64))
"""),
    Mistake("integers into a layer of floats", "RuntimeError", ["int64", "float32", "input.float()"], """
nn.Linear(3, 4)(torch.ones(2, 3, dtype=torch.int64))
"""),
    Mistake("a GPU that isn't there", "AssertionError", ["cuda", "cpu", "train.py:1"], """
torch.ones(3, device="cuda")
"""),
    Mistake("item() of many values", "RuntimeError", ["3 elements", "tolist()", "train.py:1"], """
torch.ones(3).item()
"""),
    Mistake("if of many values", "RuntimeError", ["more than one value is ambiguous", "any()", "train.py:1"], """
if torch.ones(3) > 0:
    pass
"""),
    Mistake("a tensor of a list of tensors", "ValueError", ["only one element", "stack"], """
torch.tensor([torch.ones(2), torch.ones(2)])
"""),
    Mistake("a tensor of a ragged list", "ValueError", ["expected sequence of length 2", "train.py:1"], """
torch.tensor([[1, 2], [3]])
"""),
    Mistake("a list where a tensor must be", "TypeError", ["must be Tensor, not list", "torch.tensor"], """
F.relu([1., 2.])
"""),
    Mistake("a word that isn't in the vocabulary", "IndexError", ["12", "10", "train.py:1"], """
nn.Embedding(10, 4)(torch.tensor([1, 12]))
"""),
    Mistake("words that are floats", "RuntimeError", ["Long", "float32", ".long()"], """
nn.Embedding(10, 4)(torch.tensor([1., 2.]))
"""),

    # modules
    Mistake("super().__init__() forgotten", "AttributeError", ["Module.__init__() call", "super().__init__()"], """
class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(3, 4)

Net()
"""),
    Mistake("an attribute that isn't there", "AttributeError", ["'Net'", "'fc2'", "Did you mean: 'fc1'?"], """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc2(x)

Net()(torch.ones(2, 3))
"""),
    Mistake("BatchNorm of one value in training", "ValueError", ["more than 1 value per channel", "[1, 4]", "fix:"], """
nn.BatchNorm1d(4)(torch.ones(1, 4))
"""),
    Mistake("an LSTM's input of another size", "RuntimeError", ["3", "5", "train.py:1", "fix:"], """
nn.LSTM(3, 4)(torch.ones(7, 2, 5))
"""),
    Mistake("an LSTM's input of four dimensions", "ValueError", ["2D or 3D", "4D", "fix:"], """
nn.LSTM(3, 4)(torch.ones(7, 2, 5, 3))
"""),
    Mistake("an attention mask of another shape", "RuntimeError", ["attn_mask", "(3, 3)", "(5, 5)"], """
x = torch.ones(5, 2, 8)
nn.MultiheadAttention(8, 2)(x, x, x, attn_mask=torch.zeros(3, 3))
"""),
    Mistake("an attention of a width that its heads don't divide", "AssertionError", ["embed_dim", "10", "3"], """
nn.MultiheadAttention(10, 3)
"""),
    Mistake("an optimizer of nothing", "ValueError", ["empty parameter list", "model.parameters()"], """
torch.optim.SGD([], lr=0.1)
"""),
    Mistake("an optimizer of a model", "TypeError", ["Linear", "model.parameters()"], """
torch.optim.SGD(nn.Linear(3, 4), lr=0.1)
"""),

    # states, files, data
    Mistake("a name that is missing in a state", "RuntimeError", ['Missing key(s) in state_dict: "bias"', "fix:"], """
state = nn.Linear(3, 4).state_dict()
del state["bias"]
nn.Linear(3, 4).load_state_dict(state)
"""),
    Mistake("a state of another size", "RuntimeError", ["size mismatch for weight", "[5, 3]", "[4, 3]", "fix:"], """
nn.Linear(3, 4).load_state_dict(nn.Linear(3, 5).state_dict())
"""),
    Mistake("a state saved from a wrapper", "RuntimeError", ["consume_prefix_in_state_dict_if_present", '"model."'],
            """
state = {"model." + name: value for name, value in nn.Linear(3, 4).state_dict().items()}
nn.Linear(3, 4).load_state_dict(state)
"""),
    Mistake("a file that isn't there", "FileNotFoundError", ["nowhere.pt"], """
torch.load("nowhere.pt")
"""),
    Mistake("a batch of different sizes", "RuntimeError", ["[2]", "[1]", "collate_fn"], """
from torch.utils.data import DataLoader
next(iter(DataLoader([torch.ones(1), torch.ones(2)], batch_size=2)))
"""),
    Mistake("a slip of the fingers", "AttributeError", ["'ranndn'", "Did you mean: 'randn'?"], """
torch.ranndn(3)
"""),
]


class Seen:
    """What a mistake gave: the error, its text, and how many frames the traceback has from the mistake's file on, as
    it was caught, and as it is shown if nobody catches it.
    """

    def __init__(self, error, library):
        self.error, self.kind = error, type(error).__name__
        self.text = str(error)
        self.caught = self.frames = count(error)
        if library == "weft":
            importlib.import_module("weft.core.tracebacks").shorten(error)
            self.frames = count(error)


def count(error):
    return len(traceback.extract_tb(error.__traceback__)) - 1      # the first is `run`


def run(mistake, library):
    """Run a mistake in a library; None if it raised nothing."""
    linecache.cache[FILE] = (len(mistake.code), None, [line + "\n" for line in mistake.code.split("\n")], FILE)
    torch = importlib.import_module(library)
    names = {"__name__": "__main__", "torch": torch, "nn": importlib.import_module(library + ".nn"),
             "F": importlib.import_module(library + ".nn.functional")}
    importlib.import_module(library + ".utils.data")
    importlib.import_module(library + ".optim")
    code = compile(mistake.code.replace("from torch.", f"from {library}."), FILE, "exec")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, names)
    except Exception as error:
        return Seen(error, library)
    return None


def shown(seen):
    """The end of a traceback, as a terminal has it."""
    if seen is None:
        return "(no error)"
    lines = [line.rstrip() for line in f"{seen.kind}: {seen.text}".expandtabs(4).replace(HOME, "...").split("\n")]
    return "\n".join(line for line in lines if line)


def headline(title):
    """A title as a sentence begins; a name in it stays as it is."""
    return title if "(" in title.split()[0] else title[0].upper() + title[1:]


def page(ours, theirs, version):
    """docs/mistakes.md."""
    counts = [[seen.frames for seen in side if seen is not None] for side in (ours, theirs)]
    lines = ["# Common mistakes, and what they say", "",
             "Made by `python tools/mistakes.py`: a few lines that go wrong, weft's message, and PyTorch's "
             f"({version}) for the same lines.",
             "*Frames* are those of the traceback of an uncaught error, from the line of the program on. weft leaves "
             "its own out", "(`WEFT_TRACEBACK=full`, or `weft.set_traceback(\"full\")`, shows them; so does "
             "`WEFT_PURE=1`).", ""]
    if counts[1]:
        lines += [f"On average {sum(counts[0]) / len(counts[0]):.1f} frames in weft, "
                  f"{sum(counts[1]) / len(counts[1]):.1f} in PyTorch; at most {max(counts[0])} and {max(counts[1])}.",
                  ""]
    for mistake, our, their in zip(MISTAKES, ours, theirs, strict=True):
        lines += [f"## {headline(mistake.title)}", "", "```python", mistake.code, "```", ""]
        for name, seen in (("weft", our), ("PyTorch", their)):
            frames = f", {seen.frames} frame{'s' * (seen.frames != 1)}" if seen else ""
            lines += [f"{name}{frames}:", "```", shown(seen), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--print", action="store_true", help="weft's messages only, to the terminal")
    asked = parser.parse_args()
    sys.path.insert(0, HOME)
    ours = [run(mistake, "weft") for mistake in MISTAKES]
    if asked.print:
        for mistake, seen in zip(MISTAKES, ours, strict=True):
            print(f"--- {mistake.title}: {seen.frames if seen else 0} frames\n{shown(seen)}\n")
        return
    import torch
    theirs = [run(mistake, "torch") for mistake in MISTAKES]
    with open(os.path.join(HOME, "docs", "mistakes.md"), "w", encoding="utf-8") as file:
        file.write(page(ours, theirs, torch.__version__.split("+")[0]))


if __name__ == "__main__":
    main()
