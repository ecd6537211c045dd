"""The manual's pages as programs: their code blocks run in order, in one namespace, and what they print is compared.

    python tools/pages.py docs/tensors.md README.md      runs them, and says what differs

- ```python blocks run. One with `title="train.py"` is also written to that file, so that messages name it and later
  commands can run it. One with `title="not run: REASON"` is left out, which the reader sees as well.
  One that imports torch is only written: a command below must run it (`weft run`).
- <!-- python ... --> is run, too, and not shown: what a fragment needs, or a check of what the text says.
- A block without a language (or ```text) directly below is what it printed; if it begins with `SomeError:`, the error
  that it raised. `...` stands for anything; times and addresses aren't compared; a share (88 %) may be off by 3, since
  kernels of another instruction set round otherwise.
- ```pycon blocks are doctests. ```sh blocks are looked at word by word (commands, options, targets, files); one with
  output directly below is run.
"""
import contextlib
import dataclasses
import doctest
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import traceback

HOME = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>```+)(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)(?P=ticks) *$"
                   r"|^<!-- python\n(?P<hidden>.*?)^-->", re.M | re.S)
TIME = re.compile(r"\d+(\.\d+)? ?(us|ms|s)\b")
PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?%")
ADDRESS = re.compile(r"0x[0-9a-f]+")
RAISED = re.compile(r"^\w*(Error|Exception|Warning)\b.*", re.S)
FOR_TORCH = re.compile(r"^(import|from) torch\b", re.M)
# language of a block -> the method that runs it
RUN = {"python": "run_python", "pycon": "run_pycon", "sh": "run_sh", "text": None, "": None}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Wrong(AssertionError):
    """A page says what isn't so."""


@dataclasses.dataclass(frozen=True)
class Block:
    """A fence of a page: its language, title, text and first line, and what directly follows as its output."""
    language: str
    title: str
    text: str
    line: int
    output: str | None = None

    @property
    def skipped(self):
        return self.title.startswith("not run:")


def blocks_of(text):
    """The fences of a page, those that are outputs joined to the block above."""
    found, end = [], 0
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        if match["hidden"] is not None:
            found.append(Block("python", "", match["hidden"], line))
        else:
            info, indent = match["info"].strip(), match["indent"]
            title = re.search(r'title="([^"]*)"', info)
            body = re.sub("^" + indent, "", match["text"], flags=re.M) if indent else match["text"]
            language = info.split(" ")[0] if not info.startswith("title") else ""
            below = not text[end:match.start()].strip() and bool(found)
            shows = below and found[-1].language in ("python", "sh") and found[-1].output is None
            if language in ("", "text") and shows:
                found[-1] = dataclasses.replace(found[-1], output=body)
            else:
                found.append(Block(language, title[1] if title else "", body, line))
        end = match.end()
    return found


def alike(wanted, got):
    """Whether an output is what the page shows, but for spaces, times, addresses and what it leaves out (...)."""
    def plain(text):
        return PERCENT.sub("SHARE %", ADDRESS.sub("0x", TIME.sub("TIME", text))).rstrip() + "\n"
    shares = zip(PERCENT.findall(wanted), PERCENT.findall(got))
    return (all(abs(float(a) - float(b)) <= 3 for a, b in shares)
            and doctest.OutputChecker().check_output(plain(wanted), plain(got), FLAGS))


def compare(wanted, got, where):
    if not alike(wanted, got):
        raise Wrong(f"{where}: the page shows\n{wanted}\nbut it is\n{got}")


class Page:
    """A page's blocks, its namespace and the folder that it runs in."""

    def __init__(self, path, folder):
        self.path, self.folder = pathlib.Path(path), pathlib.Path(folder)
        self.blocks = blocks_of(self.path.read_text(encoding="utf-8"))
        self.names = {"__name__": "__main__"}

    def run(self):
        """Every block in order, in the page's folder; Wrong says what isn't as the page says."""
        with inside(self.folder):
            for block in self.blocks:
                if block.language not in RUN:
                    raise Wrong(f"{self.where(block)}: ```{block.language} would not be run; python, pycon and sh are")
                if not block.skipped and RUN[block.language]:
                    getattr(self, RUN[block.language])(block)
        return self

    def where(self, block):
        return f"{self.path.name}:{block.line}"

    def source(self, block):
        """(text, file name): a titled block is a file; others have the lines that they have in the page."""
        if block.title.endswith(".py"):
            (self.folder / block.title).write_text(block.text)
            return block.text, str(self.folder / block.title)
        return "\n" * (block.line - 1) + block.text, str(self.path)

    def run_python(self, block):
        text, file = self.source(block)
        if FOR_TORCH.search(text):
            if not any(b.output is not None and block.title in b.text for b in self.blocks if b.language == "sh"):
                raise Wrong(f"{self.where(block)}: nothing below runs this program, as `weft run {block.title}` would")
            return
        code = compile(text, file, "exec")
        said = io.StringIO()
        raises = block.output is not None and RAISED.match(block.output)
        with contextlib.redirect_stdout(said):
            try:
                exec(code, self.names)
            except Exception as error:
                if not raises:
                    raise
                compare(block.output, f"{type(error).__name__}: {error}", self.where(block))
                return
        if raises:
            raise Wrong(f"{self.where(block)}: the page shows an error, and there was none")
        if block.output is not None:
            compare(block.output, said.getvalue(), self.where(block))

    def run_pycon(self, block):
        said = []
        parser = doctest.DocTestParser()
        test = parser.get_doctest(block.text, self.names, self.path.name, str(self.path), block.line - 1)
        runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
        if runner.run(test, out=said.append, clear_globs=False).failed:
            raise Wrong("".join(said))
        self.names.update(test.globs)

    def run_sh(self, block):
        for command in commands_of(block.text):
            check_command(command, self.folder, self.where(block))
        if block.output is not None:
            said = [shell(command, self.folder, self.where(block)) for command in commands_of(block.text)]
            compare(block.output, "".join(said), self.where(block))


@contextlib.contextmanager
def inside(folder):
    """contextlib.chdir, which Python 3.10 lacks."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def commands_of(text):
    """The commands of a shell block, without prompts, comments and variables set before."""
    joined = re.sub(r"\\\n\s*", " ", text)
    lines = [shlex.split(line.removeprefix("$ "), comments=True) for line in joined.splitlines()]
    found = []
    for words in lines:
        while words and re.match(r"[A-Z_]+=", words[0]):
            words = words[1:]
        if words:
            found.append(words)
    return found


def targets():
    return set(re.findall(r"^([a-z-]+):", (HOME / "Makefile").read_text(), re.M))


def options_of(command):
    """The words that begin with - in `weft COMMAND --help`."""
    import weft.cli.main as cli
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        if cli.main([command, "--help"]) != 0:
            raise Wrong(f"weft {command} --help fails")
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", said.getvalue()))


def check_command(words, folder, where):
    """That a command exists, with its options, targets and files."""
    import weft.cli.main as cli
    name, rest = pathlib.Path(words[0]).name, words[1:]
    if name == "make":
        missing = [word for word in rest if "=" not in word and word not in targets()]
        if missing:
            raise Wrong(f"{where}: the Makefile has no {', '.join(missing)}")
    elif name == "weft" and rest and rest[0] not in ("--help", "--version"):
        if rest[0] not in cli.commands():
            raise Wrong(f"{where}: there is no command weft {rest[0]}")
        known = options_of(rest[0])
        for word in rest[1:]:
            if word.endswith(".py") or word in ("-m", "-c"):
                break           # what follows is the program's own
            if word.startswith("-") and word.split("=")[0] not in known:
                raise Wrong(f"{where}: weft {rest[0]} has no {word}")
    elif name.startswith("python") and rest and not rest[0].startswith("-"):
        if not ((HOME / rest[0]).exists() or (folder / rest[0]).exists() or "/" not in rest[0]):
            raise Wrong(f"{where}: there is no file {rest[0]}")
    elif name == "pip" and rest[:1] == ["install"]:
        extras = re.findall(r"(?:weft|\.)\[([\w,]+)\]", " ".join(rest))
        told = (HOME / "pyproject.toml").read_text().split("optional-dependencies]")[1]
        known = re.findall(r"^(\w+) = \[", told, re.M)
        missing = [extra for extra in ",".join(extras).split(",") if extra and extra not in known]
        if missing:
            raise Wrong(f"{where}: pyproject.toml has no extra {', '.join(missing)}")


def shell(words, folder, where):
    """What a command prints, run in the page's folder by this Python."""
    own = {"weft": [sys.executable, "-m", "weft"], "python": [sys.executable]}
    if words[0] not in own:
        raise Wrong(f"{where}: only weft and python are run for their output, not {words[0]}")
    given = own[words[0]] + words[1:]
    done = subprocess.run(given, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr


def main():
    wrong = 0
    for path in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                Page(pathlib.Path(path).resolve(), folder).run()
            except Exception as error:
                wrong += 1
                traceback.print_exc(limit=-3)
                print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
