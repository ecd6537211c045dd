"""Odd programs of weft's ops, in processes of their own: none may crash, hang, or fail with an error that misleads.

    python tools/fuzz_ops.py --cases 100000 --seconds 600       # values beside PyTorch's, where it is installed
    python tools/fuzz_ops.py --show 17                          # the program of case 17

A case is a few lines of Python, drawn from its number alone, so a failure is shown as a program and can be run again.
Half of them call an op with its body's samples after something was done to them (other types, strides, sizes, wrong
kinds of arguments); half walk through views and write into them. Each line runs by itself; one that raises is left out.

What counts as a failure: a signal; more than LIMIT seconds; an error of a kind that says nothing to a user
(AttributeError, ZeroDivisionError, ...); another value than PyTorch's. Where only one of the two refuses a line, the
case is counted and the commonest are listed.
"""
import argparse
import collections
import io
import math
import mmap
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

LIMIT = 30                      # seconds for one case
MEMORY = 6 << 30                # bytes of address space of a worker
MISLEADING = (AttributeError, KeyError, AssertionError, ZeroDivisionError, NameError, SystemError, RecursionError,
              ImportError, StopIteration, UnicodeError)
PROGRESS = struct.Struct("qqq")         # the case, the library that runs it, values compared so far
IN_WEFT, IN_TORCH, DONE = range(3)


# ---- drawing programs ----

NUMBERS = ["0", "1", "-1", "2", "3", "-2", "7", "-9", "100", "2**31", "2**33", "2**62", "2**63 - 1", "-2**63", "2**64",
           "0.5", "-1.5", "1e300", "nan", "inf", "-inf", "True", "1j"]
WRONG = ["None", "'x'", "[]", "()", "[1, -1]", "(0, 1)", "[[1.], [2.]]", "object()", "{}", "T.float64", "slice(1)",
         "[None]", "(2**40, 2**40)", "range(3)", "'mean'", "b'x'"]
DTYPES = ["f4"] * 8 + ["f8", "i8", "i8", "i4", "u1", "i1", "?", "f2", "bf", "c8", "c16"]
SHAPES = ["(3,)", "(2, 3)", "(4, 4)", "(2, 3, 4)", "(1, 3)", "()", "(0,)", "(3, 0, 2)", "(1,)", "(2, 1, 4, 3)",
          "(8, 8)", "(2, 2, 5, 5)", "(17,)", "(64, 3)", "(1, 1, 1)"]
LAYOUTS = ["", "", "", ".transpose(0, -1)", "[::2]", "[..., 1:]", "[..., None]", "[None]", "[:0]", "[:1]",
           "[None].expand(4, *[-1] * {0}.dim())", "[:1].expand(5, *[-1] * ({0}.dim() - 1))[:1]", ".flip(-1)",
           ".as_strided((2, 2), (1, 1))", ".as_strided((3,), (0,))", ".contiguous(memory_format=T.channels_last)",
           "[..., ::3]", ".unsqueeze(-1).expand(*{0}.shape, 3)", ".detach()", ".requires_grad_()", ".conj()"]
VIEWS = ["x.transpose({d}, {d})", "x[{i}]", "x[{i}:{i}:{n}]", "x[..., {i}]", "x[None, ..., {i}:]", "x.expand({s})",
         "x.unfold({d}, {n}, {n})", "x.as_strided(({n}, {n}), ({n}, {n}), {n})", "x.view({s})", "x.reshape({s})",
         "x.diagonal({i}, {d}, {d})", "x.narrow({d}, {i}, {n})", "x.select({d}, {i})", "x.squeeze({d})",
         "x.squeeze()", "x.unsqueeze({d})", "x.permute({d}, {d})", "x.movedim({d}, {d})", "x.flatten({d}, {d})",
         "x.unflatten({d}, ({s}))", "x.chunk({n}, {d})[{i}]", "x.split({n}, {d})[{i}]", "x.unbind({d})[{i}]", "x.mT",
         "x.real", "x.view(T.int16)", "x.view(T.uint8)", "x.detach()", "x.tensor_split({i}, {d})[0]", "x.ravel()",
         "x.swapaxes({d}, {d})", "x.view_as(y)", "x.expand_as(y)", "x.broadcast_to(({s}))", "x.roll({i}, {d})",
         "x.flip({d})", "x.rot90({i}, ({d}, {d}))", "x.tile(({s}))", "x.repeat({s})", "x.index_select({d}, k)",
         "T.fft.fftshift(x, {d})", "x[k]", "x[x > 0]", "x[k, ..., k]", "x.take(k)", "x.gather({d}, k)",
         "x.to(y.dtype)", "x.set_(y.untyped_storage(), {i}, ({s}), ({s}))", "x.resize_({s})", "x.t_()",
         "x.squeeze_()", "x.unsqueeze_({d})", "x.transpose_({d}, {d})", "x.as_strided_(({n},), ({n},), {i})",
         "x.t()", "x.clone()", "T.empty(0, dtype=x.dtype).set_(x.untyped_storage(), {i}, ({s}), ({s}))",
         "x.contiguous()", "x.swapdims_({d}, 0)"]
WRITES = ["x.add_(1)", "x.mul_(y)", "x.copy_(y)", "x.fill_({i})", "x.zero_()", "x[{i}] = {i}", "x[{i}:] = y",
          "x[k] = 1", "x[x > 0] = {i}", "x.index_fill_({d}, k, {i})", "x.scatter_({d}, k, {i})",
          "x.scatter_add_({d}, k, y)", "x.masked_fill_(x > 0, {i})", "x.cumsum_({d})", "x.index_add_({d}, k, y)",
          "x.index_copy_({d}, k, y)", "x.put_(k, y)", "x.clamp_({i}, {n})", "x.sub_(x)", "x.div_(y)", "x.neg_()",
          "x.exp_()", "x.fill_diagonal_({i})", "x.triu_({i})", "x.sqrt_()", "x.lerp_(y, 0.5)", "x.addcmul_(y, y)",
          "x.masked_scatter_(x > 0, y)", "x.index_put_((k,), y)", "x.renorm_(2, {d}, 1.)", "x.remainder_({i})",
          "x.pow_({n})", "x.t_().add_(y)", "x.index_reduce_({d}, k, y, 'mean')", "x.swapaxes_({d}, {d})",
          "x.addmm_(y, y)", "x.logical_not_()"]
READS = ["x.sum({d})", "x.max({d})", "x.sort({d})", "x.mean()", "x @ y", "x + y", "x == y", "x.softmax({d})",
         "x.norm()", "x.cumsum({d})", "x.argmax({d})", "T.cat([x, y], {d})", "T.stack([x, x], {d})", "x.tolist()",
         "x.numpy()", "T.where(x > 0, x, y)", "x.unique()", "x.topk({n}, {d})", "x.std({d})", "x.prod({d})",
         "x.logsumexp({d})", "x.nonzero()", "x.kthvalue({n}, {d})", "x.median({d})", "x.var()", "x.all({d})",
         "repr(x)", "x.histc({n})", "x.diff({n}, {d})", "T.einsum('ij,jk->ik', x, y)", "x.bincount()",
         "x.cummax({d})", "x.amin(({d}, {d}))"]


class Draw:
    """The lines of one case."""

    def __init__(self, seed, number, calls):
        self.rng, self.calls = random.Random(f"{seed}:{number}"), calls

    def program(self):
        return self.call() if self.rng.random() < 0.5 else self.walk()

    def one_of(self, what):
        return self.rng.choice(what)

    def chance(self, p):
        return self.rng.random() < p

    def tensor(self, shape=None, dtype=None):
        """The text of a tensor, with any layout."""
        shape = shape if shape is not None and not self.chance(0.15) else self.one_of(SHAPES)
        made = f"t({shape}, {(dtype or self.one_of(DTYPES))!r}, {self.rng.randrange(1000)})"
        layout = self.one_of(LAYOUTS) if self.chance(0.5) else ""
        return made + layout.format(made)

    # a walk through views

    def filled(self, line):
        """A line with its places for numbers filled in: d a dimension, i an index, n a small count, s some sizes."""
        def number(found):
            kind = found.group(1)
            if self.chance(0.04):
                return self.one_of(NUMBERS)
            if kind == "d":
                return str(self.one_of([0, 0, 1, -1, -1, 2, -2, 3]))
            if kind == "i":
                return str(self.one_of([0, 1, -1, 2, 3, -3, 5]))
            if kind == "n":
                return str(self.one_of([0, 1, 1, 2, 2, 3, 4]))
            return ", ".join([str(self.one_of([-1, 1, 1, 2, 3, 4, 0])) for _ in range(self.rng.randrange(4))]) or "()"
        return re.sub(r"\{([dins])\}", number, line)

    def walk(self):
        index = self.one_of(["T.tensor([0, 1])", "T.tensor([[0], [1]])", "T.tensor([-1, 0, 0])", "t((2, 3), 'i8', 3)",
                             "T.tensor(1)", "T.tensor([5])", "T.tensor([], dtype=T.int64)"])
        lines = [f"a = {self.tensor()}", "x = a", f"y = {self.tensor()}", f"k = {index}"]
        for _ in range(self.rng.randrange(1, 6)):
            kind = self.rng.random()
            line = self.one_of(VIEWS if kind < 0.55 else WRITES if kind < 0.85 else READS)
            lines.append(self.filled("x = " + line if kind < 0.55 else line if kind < 0.85 else "r = " + line))
        if self.chance(0.2):
            lines.append("g = T.autograd.grad(x.sum(), a)")
        return lines

    # a call of one op

    def call(self):
        name, method, args, kwargs = self.one_of(self.calls)
        args, kwargs = [self.text(a) for a in args], {k: self.text(v) for k, v in kwargs.items()}
        for _ in range(self.one_of([0, 1, 1, 2])):
            self.spoil(args, kwargs)
        lines = [f"a{i} = {text}" for i, text in enumerate(args)]
        given = [f"a{i}" for i in range(len(args))]
        told = ", ".join([*given, *[f"{k}={v}" for k, v in kwargs.items()]])
        if method and given and self.chance(0.3):
            rest = ", ".join([*given[1:], *[f"{k}={v}" for k, v in kwargs.items()]])
            lines.append(f"r = a0.{name}{'_' if self.chance(0.5) else ''}({rest})")
        elif self.chance(0.05):
            lines.append(f"r = T.{name}({told}, out={self.tensor()})")
        else:
            lines.append(f"r = T.{name}({told})")
        if self.chance(0.3):
            lines.append("g = T.autograd.grad(first(r).sum(), [a0], allow_unused=True)")
        return lines

    def text(self, value):
        """A sample's argument as text; tensors in any layout."""
        kind = getattr(value, "kind", None)
        if isinstance(value, tuple) and all([type(n) is int for n in value]):
            return self.tensor(repr(value), None if self.chance(0.2) else "f4")
        if isinstance(value, (tuple, list)):
            return "[" + ", ".join([self.text(v) for v in value]) + "]"
        if kind in ("floats", "fixed", "matrix", "complexes"):
            return self.tensor(repr(tuple(value.shape)), "c8" if kind == "complexes" else "f4")
        if kind == "ints":
            least, below = value.options["start"], value.options["below"]
            drawn = f"t({tuple(value.shape)}, 'u1', {self.rng.randrange(99)})"
            made = f"({drawn} % {max(1, below - least)} + {least}).long()"
            return made if not self.chance(0.1) else self.tensor(repr(tuple(value.shape)), "i8")
        if kind == "bools":
            return self.tensor(repr(tuple(value.shape)), "?")
        if kind == "data":
            return f"T.tensor({value.options['values']!r})"
        if kind == "size":
            return repr(tuple(value.shape))
        return repr(value.options["value"] if kind == "given" else value)

    def spoil(self, args, kwargs):
        """Change one argument into something unexpected."""
        how = self.rng.random()
        if how < 0.08 and args:
            args.pop()
            return
        if how < 0.12:
            args.append(self.one_of(NUMBERS + WRONG))
            return
        at = self.rng.randrange(len(args) + len(kwargs)) if args or kwargs else None
        if at is None:
            return
        value = self.one_of([self.tensor(), self.tensor(), self.one_of(NUMBERS), self.one_of(NUMBERS),
                             self.one_of(WRONG)])
        if at < len(args):
            args[at] = value
        else:
            kwargs[list(kwargs)[at - len(args)]] = value


def calls_of_ops():
    """(public name, whether it is a method, arguments, keywords) of the samples of every public op."""
    import weft
    from weft.ops.core.registry import OPS_BY_NAME
    found = []
    for name, op in sorted(OPS_BY_NAME.items()):
        if name.startswith("_") or "._" in name or not has(weft, name):
            continue
        for sample in op.samples or ():
            if can_be_text(sample):
                keywords = dict(zip(op.kw_names, sample[op.n_positional:])) if op.compose is None else {}
                positional = sample[:op.n_positional] if op.compose is None else sample
                found.append((name, hasattr(weft.Tensor, name), positional, keywords))
    return found


def has(library, name):
    """Whether the library has a function of that dotted name: some ops are methods only."""
    for part in name.split("."):
        library = getattr(library, part, None)
    return library is not None


def can_be_text(value):
    if isinstance(value, (tuple, list)):
        return all([can_be_text(v) for v in value])
    kind = getattr(value, "kind", None)
    if kind == "given":
        value = value.options["value"]
        kind = None
    return kind in ("floats", "fixed", "matrix", "complexes", "ints", "bools", "data", "size") or kind is None and (
        value is None or isinstance(value, (bool, int, float, complex, str)) or isinstance(value, (tuple, list)))


# ---- running them ----

def maker(library):
    """`t(shape, type, seed)`: a tensor of values that are the same in every library, some of them special."""
    def t(shape, kind, seed):
        rng = np.random.default_rng(seed)
        numpy_kind = {"bf": "f4"}.get(kind, kind)
        is_float = np.dtype(numpy_kind).kind in "fc"
        values = rng.standard_normal(shape) * 3 if is_float else rng.integers(-3, 4, size=shape)
        array = np.array(values).astype(numpy_kind)
        if np.dtype(numpy_kind).kind == "f" and array.size and seed % 5 == 0:
            array.flat[seed % array.size] = [math.nan, math.inf, -math.inf, -0.0, 1e30][seed // 5 % 5]
        made = library.from_numpy(array)
        return made.to(library.bfloat16) if kind == "bf" else made
    return t


def run(library, lines):
    """(names, outcomes): what the lines leave behind, and for each None or the error."""
    names = {"T": library, "t": maker(library), "nan": math.nan, "inf": math.inf,
             "first": lambda r: r if isinstance(r, library.Tensor) else r[0]}
    outcomes = []
    for line in lines:
        try:
            exec(line, names)
            outcomes.append(None)
        except Exception as error:
            outcomes.append(error)
    return names, outcomes


TOLERANCE = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 2e-3, "complex64": 2e-3}


def differs(mine, theirs):
    """In words, how a result differs from PyTorch's; None where it doesn't."""
    if isinstance(theirs, (tuple, list)) and type(theirs) is not type(None) and not hasattr(theirs, "dtype"):
        if not isinstance(mine, (tuple, list)):
            return None
        return differs(mine[0], theirs[0]) if len(theirs) and len(mine) else None
    if not hasattr(theirs, "dtype") or not hasattr(theirs, "shape") or not hasattr(mine, "dtype"):
        return None
    if tuple(mine.shape) != tuple(theirs.shape):
        return f"shape {tuple(mine.shape)} instead of {tuple(theirs.shape)}"
    if str(mine.dtype).split(".")[-1] != str(theirs.dtype).split(".")[-1]:
        return f"type {mine.dtype} instead of {theirs.dtype}"
    if not hasattr(theirs, "detach"):
        return None
    kind = str(theirs.dtype).split(".")[-1]
    wide = "complex128" if kind.startswith("complex") else "float64" if "float" in kind else "int64"
    a, b = (np.asarray(v.detach().resolve_conj().to(getattr(lib, wide)).numpy()) for v, lib in
            ((mine, sys.modules["weft"]), (theirs, sys.modules["torch"])))
    close = TOLERANCE.get(kind, 1e-6)
    with np.errstate(all="ignore"):
        same = np.isclose(a, b, rtol=close, atol=close, equal_nan=True) | (np.abs(a) > 1e30) & (np.abs(b) > 1e30)
    return None if same.all() else f"{int((~same).sum())} of {same.size} values"


UNSETTLED = re.compile(r"empty|resize_|set_\(|rand|normal|bernoulli|multinomial|dropout|poisson|exponential|geometric"
                       r"|uniform|cauchy|numpy\(\)|svd|eig|qr|lobpcg|pca_lowrank|householder|ormqr|view\(T|sort|topk"
                       r"|argmax|argmin|kthvalue|median|mode|unique|as_strided|data_ptr|shuffle|rrelu|gumbel|lu|ldl"
                       r"|cholesky|lstsq|histc")


def compare(lines, mine, theirs):
    """(failure or None, whether only one refused)."""
    (names, outcomes), (their_names, their_outcomes) = mine, theirs
    for line, ours, other in zip(lines, outcomes, their_outcomes):
        if (ours is None) != (other is None):
            return None, f"{line}   weft: {said(ours)}; PyTorch: {said(other)}"
    if any(outcomes) or UNSETTLED.search(" ".join(lines)):
        return None, None
    for name in ("a", "x", "y", "r", "g", "a0"):
        if name in names and name in their_names:
            found = differs(names[name], their_names[name])
            if found:
                return f"{name}: {found}", None
    return None, None


def said(error):
    return "fine" if error is None else f"{type(error).__name__}: {(str(error) or '-').splitlines()[0][:90]}"


class Worker:
    """Runs cases and notes in shared memory where it is."""

    def __init__(self, args):
        import weft
        weft.set_traceback("full")      # is_python_s_own counts the frames
        self.weft, self.args, self.torch = weft, args, None
        if args.torch:
            import torch
            self.torch = torch
            torch.set_num_threads(1)
        weft.set_num_threads(2)
        with open(args.progress, "r+b") as file:
            self.progress = mmap.mmap(file.fileno(), PROGRESS.size)
        self.calls = calls_of_ops()
        self.compared = 0

    def note(self, number, stage):
        PROGRESS.pack_into(self.progress, 0, number, stage, self.compared)

    def work(self):
        report = sys.stdout
        for number in range(self.args.first, self.args.last, self.args.step):
            lines = Draw(self.args.seed, number, self.calls).program()
            self.note(number, IN_WEFT)
            sys.stdout = io.StringIO()
            mine = run(self.weft, lines)
            sys.stdout = report
            theirs = None
            if self.torch is not None:
                self.note(number, IN_TORCH)
                theirs = run(self.torch, lines)
            wrong = misleading(mine[1], theirs[1] if theirs else [None] * len(lines))
            if wrong:
                print(f"misleading\t{number}\t{said(wrong)}", flush=True)
            if theirs:
                failure, refused = compare(lines, mine, theirs)
                self.compared += 1
                if failure:
                    print(f"value\t{number}\t{failure}", flush=True)
                elif refused:
                    print(f"refused\t{number}\t{refused}", flush=True)
        self.note(self.args.last, DONE)


def misleading(outcomes, theirs):
    """The first error of a kind that says nothing to a user, unless PyTorch's is of that kind, too, or it says what to
    do (PyTorch has AssertionErrors of attention's shapes)."""
    return next((mine for mine, other in zip(outcomes, theirs)
                 if isinstance(mine, MISLEADING) and type(mine) is not type(other) and not is_python_s_own(mine)
                 and "\n  fix: " not in str(mine)), None)


def is_python_s_own(error):
    """Whether Python itself says it of the program's text: a tensor method of something that is no tensor."""
    return isinstance(error, (AttributeError, NameError)) and error.__traceback__ is not None \
        and error.__traceback__.tb_next is not None and error.__traceback__.tb_next.tb_next is None


def prepared():
    """What every worker sets first: nothing on the screen, bounded memory."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    if not os.environ.get("LD_PRELOAD"):        # the sanitizers map far more than they use
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# ---- watching over them ----

class Lane:
    """One worker after another for every n-th case."""

    def __init__(self, args, first, step):
        self.args, self.next, self.step, self.failures, self.lines = args, first, step, [], []
        self.file = tempfile.NamedTemporaryFile()
        self.file.write(bytes(PROGRESS.size))
        self.file.flush()
        self.compared, self.process = 0, None
        self.start()

    def start(self):
        command = [sys.executable, os.path.abspath(__file__), "--worker", "--seed", str(self.args.seed), "--first",
                   str(self.next), "--last", str(self.args.cases), "--step", str(self.step), "--progress",
                   self.file.name, *(["--torch"] if self.args.torch else [])]
        self.out = tempfile.TemporaryFile("w+")
        self.err = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=self.out, stderr=self.err)
        self.seen, self.since = None, time.monotonic()

    def position(self):
        self.file.seek(0)
        return PROGRESS.unpack(self.file.read(PROGRESS.size))

    def look(self):
        """Whether there is still work; a dead or stuck worker is noted and replaced."""
        number, stage, compared = self.position()
        if (number, stage) != self.seen:
            self.seen, self.since = (number, stage), time.monotonic()
        ended = self.process.poll()
        stuck = time.monotonic() - self.since > LIMIT
        if ended is None and not stuck:
            return True
        if ended is None:
            self.process.kill()
            self.process.wait()
        self.collect()
        self.compared += compared
        if ended == 0 and stage == DONE:
            return False
        if stage == IN_WEFT and self.seen is not None:
            self.err.seek(0)
            how = "hang" if ended is None else f"signal {-ended}" if ended < 0 else f"exit {ended}"
            self.failures.append((how, number, self.err.read()[-3000:]))
        if ended == 1 and number == 0 and stage == 0:
            raise SystemExit(f"a worker does not start:\n{self.failures[-1][2]}")
        self.next = number + self.step
        if self.next >= self.args.cases:
            return False
        self.start()
        return True

    def collect(self):
        self.out.seek(0)
        self.lines += self.out.read().splitlines()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            self.collect()
            self.compared += self.position()[2]


def watch(args):
    """Run all cases; the exit code is 1 when one failed."""
    lanes = [Lane(args, i, args.jobs) for i in range(args.jobs)]
    began, busy = time.monotonic(), list(lanes)
    try:
        while busy and time.monotonic() - began < args.seconds:
            time.sleep(0.2)
            busy = [lane for lane in busy if lane.look()]
            if sys.stderr.isatty():
                done = sum([lane.position()[0] for lane in lanes]) // len(lanes)
                crashes = sum([len(lane.failures) for lane in lanes])
                sys.stderr.write(f"\r{done} of {args.cases} cases, {crashes} crashes ")
    except KeyboardInterrupt:
        pass
    for lane in busy:
        lane.stop()
    done = sum([min(lane.position()[0], args.cases) // args.jobs for lane in lanes])
    return told(args, lanes, done, time.monotonic() - began)


def told(args, lanes, done, seconds):
    calls = calls_of_ops()
    found = collections.defaultdict(list)
    for line in [line for lane in lanes for line in lane.lines if line.count("\t") >= 2]:     # others print, too
        kind, number, text = line.split("\t", 2)
        found[kind].append((int(number), text))
    crashes = sorted([f for lane in lanes for f in lane.failures], key=lambda f: f[1])
    print(f"\n{done} cases in {seconds:.0f} s, {sum([lane.compared for lane in lanes])} of them beside PyTorch: "
          f"{len(crashes)} crashes or hangs, {len(found['misleading'])} misleading errors, {len(found['value'])} other "
          f"values; {len(found['refused'])} that only one of them refuses")
    for how, number, text in crashes[:args.most]:
        print(f"\n--- {how}, case {number}\n" + "\n".join(Draw(args.seed, number, calls).program()) + f"\n{text}")
    for kind in ("misleading", "value"):
        for number, text in found[kind][:args.most]:
            print(f"\n--- {kind}, case {number}: {text}\n" + "\n".join(Draw(args.seed, number, calls).program()))
    if found["refused"] and args.most > 5:
        common = collections.Counter([re.sub(r"\d+", "N", text)[:150] for _, text in found["refused"]])
        print("\nrefused by one of them, the commonest:")
        for text, count in common.most_common(args.most):
            print(f"{count:6} {text}")
    return 1 if crashes or found["misleading"] or found["value"] else 0


def has_torch():
    import importlib.util
    return importlib.util.find_spec("torch") is not None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=20, help="how many failures of a kind to show")
    parser.add_argument("--torch", action=argparse.BooleanOptionalAction, default=None)
    parser.add_argument("--show", type=int, help="print one case's program")
    for name in ("--first", "--last", "--step"):
        parser.add_argument(name, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--progress", help=argparse.SUPPRESS)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    args = arguments()
    if args.worker:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        prepared()
        Worker(args).work()
        return 0
    if args.show is not None:
        print("\n".join(Draw(args.seed, args.show, calls_of_ops()).program()))
        return 0
    args.torch = has_torch() if args.torch is None else args.torch
    return watch(args)


if __name__ == "__main__":
    sys.exit(main())
