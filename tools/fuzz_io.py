"""Feeds broken and hostile files to the readers of checkpoints: `.pt`, the format before it, safetensors.

    make fuzz N=1000000 SECONDS=900
    python tools/fuzz_io.py --cases 100000 --seed 7
    python tools/fuzz_io.py --start 4711 --cases 1          # one case again

Each case is made from its number alone. A file either loads or gives a CheckpointFileError; anything else is a failure
and is kept: another exception, more memory than allowed, more time than allowed, or anything that Python's audit hooks
see and that reading data never needs (import, exec, open, os.*, subprocess.*, socket.*, ctypes.*, pickle.find_class).
"""
import argparse
import copy
import faulthandler
import functools
import io
import json
import os
import pickle
import random
import resource
import signal
import struct
import sys
import time
from collections import Counter, OrderedDict, defaultdict

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import numpy as np  # noqa: E402

import weft  # noqa: E402
from weft.io import archive_write, legacy, safetensors  # noqa: E402
from weft.io.api import load, save  # noqa: E402
from weft.io.archive import Archive  # noqa: E402
from weft.io.errors import CheckpointFileError  # noqa: E402
from weft.io.machine import TABLE, Machine  # noqa: E402
from weft.io.source import BytesSource  # noqa: E402

CASE_SECONDS, MEMORY = 5, 2 << 30
FORBIDDEN = ("import", "exec", "compile", "open", "os.", "subprocess.", "socket.", "ctypes.", "pickle.", "marshal.",
             "code.", "shutil.", "cpython.")


# what is mutated

def objects():
    """Small objects that use every part of the formats."""
    x = weft.arange(6.).view(2, 3)
    net = weft.nn.Linear(2, 2)
    tagged = weft.ones(2)
    tagged.note = "n"
    return [
        {"w": x, "b": x[0], "t": x.t()}, OrderedDict(net.state_dict()), net.state_dict(),
        [1, 2.5, "a", b"b", None, True, -7, 1 << 80, 1j],
        {"p": weft.nn.Parameter(weft.ones(2)), "s": weft.Size([1, 2]), "d": weft.float32, "v": weft.device("cpu"),
         "l": weft.strided}, (weft.ones(2, dtype=weft.uint16), weft.ones(1, dtype=weft.complex64), weft.empty(0),
                              weft.tensor(True), weft.ones(2, device="meta")),
        {"set": {1, "a"}, "frozen": frozenset([2]), "count": Counter("aab"), "default": defaultdict(list, {1: [2]}),
         "ba": bytearray(b"xy")},
        [np.float64(1.5), np.arange(3), np.dtype("f4"), np.array([[1, 2]], order="F")],
        [tagged, weft.ones(2).untyped_storage()],
        {"rng": weft.arange(8).to(weft.uint8), "nest": [[[[()]]], {"k": {"k": {}}}]}, x.view(weft.int32),
        net.to(weft.float64),
    ]


def pickles():
    """Pickles of Python's own, in all protocols, harmless and not."""
    class Evil:
        def __reduce__(self):
            return (os.system, ("echo weft-canary",))

    found = [pickle.dumps(thing, protocol=p) for p in (2, 3, 4, 5)
             for thing in ({"a": [1, (2, 3)], "b": {4}}, [b"x" * 20, bytearray(b"y"), frozenset([1])],
                           OrderedDict(a=1), np.arange(2))]
    found += [b"cos\nsystem\n(X\4\0\0\0true\x85R.", b"c__builtin__\neval\nX\3\0\0\x001+1\x85R.",
              b"cbuiltins\n__import__\nX\2\0\0\0os\x85R.", b"\x80\4\x8c\2os\x8c\6system\x93\x8c\4true\x85R.",
              b"cposix\nsystem\n(X\4\0\0\0truetR.", b"csubprocess\nPopen\n(X\4\0\0\0truetR.",
              b"cbuiltins\ngetattr\ncbuiltins\nlist\nX\6\0\0\0append\x86R.",
              b"ctorch._utils\n_rebuild_tensor_v2\n(NNNNNNtR.", b"cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.",
              b"ccollections\nOrderedDict\n]\x85R."]
    return found + [pickle.dumps(Evil(), protocol=p) for p in (2, 4)]


def seeds(with_torch=False):
    """(kind, bytes) of whole files."""
    found = []
    for thing in objects():
        for new in (True, False):
            file = io.BytesIO()
            save(thing, file, _use_new_zipfile_serialization=new)
            found.append(("zip" if new else "legacy", file.getvalue()))
    tensors = {"a": weft.ones(2, 3), "b": weft.arange(4), "half": weft.ones(2).bfloat16(), "none": weft.empty(0),
               "z": weft.tensor(True)}
    found += [("safetensors", safetensors.save(tensors)),
              ("safetensors", safetensors.save({"a": weft.ones(1)}, {"k": "v"})), ("safetensors", safetensors.save({}))]
    if with_torch:
        found += torch_seeds()
    return found


def torch_seeds():
    import torch
    x = torch.arange(6.).view(2, 3)
    net = torch.nn.Linear(2, 2)
    found = []
    for thing in (net.state_dict(), {"w": x, "t": x.t()}, net, [torch.ones(2, dtype=torch.complex64).conj(),
                                                                torch.ones(1).bfloat16()],
                  torch.optim.Adam(net.parameters()).state_dict()):
        for options in ({}, {"pickle_protocol": 4}, {"_use_new_zipfile_serialization": False}):
            file = io.BytesIO()
            torch.save(thing, file, **options)
            found.append(("legacy" if len(options) and "pickle_protocol" not in options else "zip", file.getvalue()))
    return found


# how

NUMBERS = [0, 1, 2, 7, 8, 127, 128, 255, 256, 65535, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32,
           (1 << 63) - 1, (1 << 64) - 1]
SNIPPETS = [bytes([code]) for code in b"()]}012.teusaRbQN\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94"]
SNIPPETS += [b"h\0", b"h\1", b"h\5", b"q\1", b"j\xff\xff\xff\xff", b"K\0", b"K\xff", b"J\xff\xff\xff\xff",
             b"\x8a\x0b" + b"\xff" * 11, b"\x8b\xff\xff\xff\x7f", b"X\xff\xff\xff\xff", b"\x8e" + b"\xff" * 8,
             b"\x96" + b"\xff" * 8, b"\x95" + b"\xff" * 8, b"\x80\5", b"G" + b"\x7f" * 8, b"X\1\0\0\0a", b"M\0\4"]
NAMES = [f"c{module}\n{name}\n".encode() for module, names in {
    "os": ["system"], "builtins": ["eval", "set", "bytearray", "complex", "frozenset"], "_codecs": ["encode"],
    "collections": ["OrderedDict", "defaultdict", "Counter"], "torch": ["FloatStorage", "Tensor", "Size", "device",
                                                                        "float16", "FloatTensor"],
    "torch._utils": ["_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter", "_rebuild_parameter_with_state"],
    "torch._tensor": ["_rebuild_from_type_v2"], "numpy": ["dtype", "ndarray"],
    "numpy._core.multiarray": ["_reconstruct", "scalar"], "torch.nn.modules.linear": ["Linear"],
    "torch.nn.functional": ["relu"]}.items() for name in names]
SNIPPETS += NAMES
JUNK = [0, -1, 1 << 63, 1 << 70, 1.5, None, "x", [], {}, [0, 1 << 62], True, "F32", "F99", [[[]]], "\0"]


def mutate_bytes(data, rng, snippets=()):
    """A few random edits of bytes."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(8 if snippets else 7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 2:
            del data[at:at + rng.choice((1, 2, 4, 8, 40))]
        elif kind == 3:
            size = rng.choice((1, 2, 4, 8))
            data[at:at + size] = (rng.choice(NUMBERS) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        elif kind == 4:
            start = rng.randrange(len(data) + 1)
            data[at:at] = data[start:start + rng.randrange(1, 64)]
        elif kind == 5:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 6)))
        elif kind == 6 and not rng.randrange(4):
            del data[at:]
        elif kind == 7:
            for _ in range(rng.randrange(1, 4)):
                data[at:at] = rng.choice(snippets)
    return bytes(data)


@functools.lru_cache(maxsize=1000)
def members(data):
    """(name, bytes) of an archive's members."""
    archive = Archive(BytesSource(data))
    return [(name, archive.read(name)) for name in archive.members]


@functools.lru_cache(maxsize=1000)
def instructions(data):
    """A pickle cut into its instructions, as far as it makes sense."""
    machine, found = Machine(data, find=None, stored=None), []
    try:
        while machine.at < len(data):
            start = machine.at
            machine.at += 1
            row = TABLE[data[start]]
            if data[start] == ord("c"):
                machine.line(), machine.line()
            elif row is not None and row[0] is not None:
                row[0](machine)
            found.append(data[start:machine.at])
    except CheckpointFileError:
        pass
    return found


def mutate_instructions(data, rng):
    """Whole instructions taken out, doubled, moved, put in; numbers and names exchanged."""
    found = list(instructions(data)) or [b"."]
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, kind = rng.randrange(len(found)), rng.randrange(7)
        if kind == 0 and len(found) > 1:
            del found[at]
        elif kind == 1:
            found.insert(rng.randrange(len(found)), found[at])
        elif kind == 2:
            other = rng.randrange(len(found))
            found[at], found[other] = found[other], found[at]
        elif kind == 3:
            found.insert(at, rng.choice(SNIPPETS))
        else:
            alike = [i for i, one in enumerate(found) if one[:1] in (b"K", b"M", b"J", b"\x8a", b"c", b"X", b"\x88",
                                                                     b"\x89")]
            if alike:
                at = rng.choice(alike)
                found[at] = _another(found[at], rng)
    return b"".join(found)


def _another(instruction, rng):
    if instruction[:1] == b"c":
        return rng.choice(NAMES)
    if instruction[:1] in (b"\x88", b"\x89"):
        return rng.choice((b"\x88", b"\x89", b"N", b"K\2"))
    if instruction[:1] == b"X":
        return rng.choice((b"X\0\0\0\0", b"X\1\0\0\x001", b"X\4\0\0\0meta", b"X\3\0\0\0cpu", b"X\t\0\0\0__class__",
                           b"N"))
    value = rng.choice(NUMBERS) * rng.choice((1, 1, -1)) + rng.choice((0, 0, 1, -1))
    return b"\x8a" + bytes([value.bit_length() // 8 + 1]) + value.to_bytes(value.bit_length() // 8 + 1, "little",
                                                                           signed=True)


def mutate_pickle(data, rng, stock):
    """A pickle with instructions put in, exchanged with another's, or bytes changed."""
    kind = rng.randrange(8)
    if kind > 3:
        return mutate_instructions(data, rng)
    if kind == 0:
        return rng.choice(stock)
    if kind == 1:
        other = rng.choice(stock)
        return data[:rng.randrange(len(data) + 1)] + other[rng.randrange(len(other)):]
    if kind == 2:
        return b"\x80\2" + b"".join(rng.choice(SNIPPETS) for _ in range(rng.randrange(1, 30))) + b"."
    return mutate_bytes(data, rng, SNIPPETS)


class Mutator:
    """Makes case number i."""

    def __init__(self, seed, with_torch=False):
        self.seed, self.files = seed, seeds(with_torch)
        self.stock = pickles() + [Archive(BytesSource(data)).read("data.pkl") for kind, data in self.files
                                  if kind == "zip"]

    def case(self, number):
        rng = random.Random(self.seed * 1_000_003 + number)
        kind, data = rng.choice(self.files)
        return rng, kind, getattr(self, kind)(data, rng)

    def zip(self, data, rng):
        """Half of them with a sound archive around a broken pickle or storage, so that the sums don't give it away."""
        if rng.random() < 0.6:
            data = self.rebuilt(data, rng)
            if rng.random() < 0.85:
                return data
        return mutate_bytes(data, rng)

    def rebuilt(self, data, rng):
        out = io.BytesIO()
        writer = archive_write.ArchiveWriter(out.write)
        for name, body in members(data):
            if name == "data.pkl":
                body = mutate_pickle(body, rng, self.stock)
            elif not rng.randrange(12):
                body = mutate_bytes(body, rng)
            if rng.randrange(40):
                writer.add(name if rng.randrange(60) else mutate_bytes(name.encode(), rng).decode("latin1"), body)
        writer.finish()
        return out.getvalue()

    def legacy(self, data, rng):
        if rng.random() < 0.5:
            return mutate_bytes(data, rng, SNIPPETS)
        head = len(legacy.START)
        return data[:head] + mutate_pickle(data[head:], rng, self.stock)

    def safetensors(self, data, rng):
        if rng.random() < 0.3:
            return mutate_bytes(data, rng)
        length = int.from_bytes(data[:8], "little")
        header = data[8:8 + length]
        header = mutate_bytes(header, rng) if rng.random() < 0.4 else self.other_header(header, rng)
        size = len(header) if rng.random() < 0.9 else rng.choice(NUMBERS)
        body = data[8 + length:] if rng.random() < 0.9 else mutate_bytes(data[8 + length:], rng)
        return struct.pack("<Q", size) + header + body

    def other_header(self, header, rng):
        found = json.loads(header)
        for _ in range(rng.randrange(1, 4)):
            name = rng.choice(sorted(found)) if found else "new"
            entry = found.get(name)
            if isinstance(entry, dict) and entry and rng.random() < 0.8:
                key = rng.choice(sorted(entry))
                if isinstance(entry[key], list) and entry[key] and rng.random() < 0.7:
                    entry[key][rng.randrange(len(entry[key]))] = copy.deepcopy(rng.choice(JUNK))
                else:
                    entry[key] = copy.deepcopy(rng.choice(JUNK))
            else:
                found[name] = copy.deepcopy(rng.choice(JUNK))
        return json.dumps(found).encode()


# the watch

class Canary:
    """Notes every event of Python's audit hooks that reading data never needs, while it is armed."""

    def __init__(self):
        self.armed, self.seen = False, []
        sys.addaudithook(self.hook)

    def hook(self, event, args):
        if self.armed and event.startswith(FORBIDDEN):
            self.seen.append(f"{event} {str(args)[:200]}")


def touch(thing):
    """Read the numbers of everything that was loaded, as a program would."""
    pending, count = [thing], 0
    while pending and count < 200:
        thing, count = pending.pop(), count + 1
        if isinstance(thing, weft.Tensor):
            if thing._array.size < 100_000 and not thing._on_meta:
                thing._array.tobytes()
        elif isinstance(thing, dict):
            pending += [*thing.keys(), *thing.values()][:50]
        elif isinstance(thing, (list, tuple, set, frozenset)):
            pending += list(thing)[:50]


class Slow(BaseException):
    """A case took too long."""


def _slow(signum, frame):
    raise Slow


def attempt(data, canary, layers):
    """What came of one case: 'loaded', 'refused', or the text of a failure."""
    canary.seen.clear()
    canary.armed = True
    try:
        touch(load(io.BytesIO(data), weights_only=False if layers else None))
        outcome = "loaded"
    except CheckpointFileError:
        outcome = "refused"
    except Slow:
        outcome = f"took more than {CASE_SECONDS} s"
    except Exception as error:
        outcome = f"{type(error).__name__}: {str(error)[:300]}"
    finally:
        canary.armed = False
    return f"ran something: {canary.seen[:3]}" if canary.seen else outcome


class Progress:
    """One live line in a terminal, a line now and then in a log."""

    def __init__(self, cases, seconds):
        self.cases, self.seconds, self.began, self.last = cases, seconds, time.monotonic(), 0.0
        self.live = sys.stderr.isatty()

    def tell(self, done, tally, final=False):
        now = time.monotonic() - self.began
        if not final and now - self.last < (0.5 if self.live else 15):
            return
        self.last = now
        rate = done / max(now, 1e-9)
        left = min((self.cases - done) / max(rate, 1e-9), self.seconds - now)
        counts = "  ".join(f"{name} {tally[name]:,}" for name in ("loaded", "refused", "failed"))
        text = (f"{done:,}/{self.cases:,} cases  {rate:,.0f}/s  {counts}  "
                + (f"{now:.0f} s" if final else f"ETA {max(left, 0):.0f} s"))
        print(("\r" if self.live else "") + text, end="" if self.live and not final else "\n", file=sys.stderr,
              flush=True)


def limit_memory():
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def run(cases, seconds=1e9, seed=0, start=0, keep=None, with_torch=False, quiet=False):
    """Try cases number `start` and up; the tally, and the failures as (number, text)."""
    mutator, canary = Mutator(seed, with_torch), Canary()
    for data in [data for _, data in mutator.files] + [b"x", b"\x80\2cos\nsystem\n.",
                                                       *map(mutator.stock.__getitem__, range(20))]:
        attempt(data, canary, False), attempt(data, canary, True)       # what is imported late is imported now
    before = signal.signal(signal.SIGALRM, _slow)
    tally, failures, progress, done = Counter(), [], Progress(cases, seconds), 0
    try:
        for number in range(start, start + cases):
            rng, kind, data = mutator.case(number)
            signal.setitimer(signal.ITIMER_REAL, CASE_SECONDS)
            outcome = attempt(data, canary, rng.random() < 0.2)
            signal.setitimer(signal.ITIMER_REAL, 0)
            done += 1
            if outcome not in ("loaded", "refused"):
                failures.append((number, f"{kind}: {outcome}"))
                _keep(keep, number, kind, data, outcome)
                outcome = "failed"
            tally[outcome] += 1
            if not quiet and not done % 100:
                progress.tell(done, tally)
            if time.monotonic() - progress.began > seconds:
                break
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if not quiet:
        progress.tell(done, tally, final=True)
    return tally, failures


def _keep(folder, number, kind, data, outcome):
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{number}.{kind}"), "wb") as file:
            file.write(data)
    print(f"\ncase {number} ({kind}): {outcome}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the number of the first case")
    parser.add_argument("--keep", default="build/fuzz_io", help="where failing files go")
    parser.add_argument("--torch", action="store_true", help="start from files of PyTorch's, too")
    options = parser.parse_args()
    faulthandler.enable()
    if options.torch:
        import torch  # noqa: F401
    limit_memory()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tally, failures = run(options.cases, options.seconds, options.seed, options.start, options.keep, options.torch)
    for number, text in failures[:20]:
        print(f"failed: --seed {options.seed} --start {number} --cases 1   {text}")
    print(f"{sum(tally.values()):,} cases: {tally['loaded']:,} loaded, {tally['refused']:,} refused with a clear "
          f"error, {tally['failed']:,} failed; "
          f"{(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024:.0f} MB more memory than at the "
          f"start")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
