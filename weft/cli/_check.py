"""`weft run --check`: which names of torch a program uses and weft lacks, from its source alone."""
import ast
import importlib
import importlib.util
import os
import sys
import types
import warnings

CAUGHT = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
HARMLESS = ("caught", "not reached", "never", "only where")     # how the outcomes begin at which nothing stops
# names that other packages put into torch for their devices; PyTorch itself has none of them
ADDED = {"npu": "torch_npu", "mlu": "torch_mlu", "musa": "torch_musa", "hpu": "habana_frameworks", "sdaa": "torch_sdaa",
         "xla": "torch_xla", "_six": "an old PyTorch (before 1.13)"}


def check(targets):
    """Print what is missing; the exit code is 1 where something would stop the program."""
    try:
        files = [(file, root) for target in targets for file, root in sources(target)]
    except LookupError as problem:
        print(f"weft run --check: {problem.args[0]}", file=sys.stderr)
        return 2
    found, unread, used = {}, [], set()
    for path, root in files:
        try:
            uses = list(names_in(path))
        except (SyntaxError, ValueError) as problem:
            unread.append((path, problem))
            continue
        for name, line, outcome in uses:
            used.add(name)
            lacking = first_missing(name)
            if lacking is not None:
                found.setdefault(lacking, []).append((os.path.relpath(path, root), line, told(lacking, outcome)))
    report(found, unread, len(files), len(used))
    return 1 if any(not o.startswith(HARMLESS) for places in found.values() for _, _, o in places) else 0


def told(name, outcome):
    """What happens at a name: the same, but for one that PyTorch doesn't have either."""
    from_others = ADDED.get(name.partition(".")[2].partition(".")[0])
    if from_others is None or outcome.startswith(HARMLESS) or outcome.endswith("imported"):
        return outcome
    return f"only where {from_others} is: PyTorch doesn't have it either"


def report(found, unread, files, used):
    for name in sorted(found):
        print(name)
        for path, line, outcome in sorted(set(found[name])):
            print(f"  {path}:{line}  {outcome}")
    for path, problem in unread:
        print(f"{path} can't be read: {problem}")
    print(f"{files} file{'s' * (files != 1)}, {used} names of torch, "
          + (f"{len(found)} of them not in weft" if found else "all of them in weft")
          + " (methods of tensors can't be told from the source)")


def sources(target):
    """(file, folder that its path is shown from) of a file, a folder's files, or a package that can be imported."""
    if os.path.isfile(target):
        yield target, os.getcwd()
        return
    folder = target
    if not os.path.isdir(target):
        spec = _spec(target)
        if spec is None:
            raise LookupError(f"there is no file, folder or package {target}")
        if not spec.submodule_search_locations:
            yield spec.origin, os.path.dirname(spec.origin)
            return
        folder = list(spec.submodule_search_locations)[0]
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "__pycache__")))
        for name in sorted(names):
            if name.endswith(".py"):
                yield os.path.join(place, name), folder


def _spec(name):
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


# what weft has

KNOWN = {}


def first_missing(name):
    """The shortest start of a name of torch's ('torch.fx' of 'torch.fx.Proxy') that weft lacks, or None."""
    if name not in KNOWN:
        KNOWN[name] = _look(name)
    return KNOWN[name]


def _look(name):
    here, parts = importlib.import_module("weft"), name.split(".")
    for i, part in enumerate(parts[1:], 2):
        if not isinstance(here, (types.ModuleType, type)):
            return None         # an object, whose attributes depend on the program
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _part(here, part, ".".join(["weft", *parts[1:i]]))
        if found is None:
            return ".".join(parts[:i])
        here = found[0]
    return None


def _part(here, part, full):
    """(value,) of an attribute or a module, or None."""
    try:
        return (getattr(here, part),)
    except AttributeError:
        pass
    if not isinstance(here, types.ModuleType) or _spec(full) is None:
        return None
    try:
        return (importlib.import_module(full),)
    except ImportError:
        return None


# what a file uses

def names_in(path):
    """(full name, line, what happens if it is missing) of every name of torch in a file."""
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    reader = Reader(tree)
    reader.visit(tree)
    return reader.found


class Reader(ast.NodeVisitor):
    """Walks a file; keeps what each name stands for, and what guards the line that it is at."""

    def __init__(self, tree):
        self.found, self.meaning, self.guards, self.inside = [], {}, [], 0
        self.late = any(isinstance(n, ast.ImportFrom) and n.module == "__future__"
                        and any(a.name == "annotations" for a in n.names) for n in tree.body)
        for node in ast.walk(tree):
            self.learn(node)

    def learn(self, node):
        """What the names of an import stand for."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if is_torch(alias.name):
                    self.meaning[alias.asname or "torch"] = alias.name if alias.asname else "torch"
        elif isinstance(node, ast.ImportFrom) and not node.level and is_torch(node.module or ""):
            for alias in node.names:
                self.meaning[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def note(self, name, node, importing=False):
        outcome = self.guards[-1] if self.guards else None
        if outcome is None:
            error = "ImportError" if importing else "AttributeError"
            outcome = f"{error} when {'this line runs' if self.inside else 'the file is imported'}"
        self.found.append((name, node.lineno, outcome))

    def visit_Import(self, node):
        for alias in node.names:
            if is_torch(alias.name):
                self.note(alias.name, node, True)

    def visit_ImportFrom(self, node):
        for alias in node.names if not node.level and is_torch(node.module or "") else ():
            self.note(node.module if alias.name == "*" else f"{node.module}.{alias.name}", node, True)

    def visit_Attribute(self, node):
        parts, root = [node.attr], node.value
        while isinstance(root, ast.Attribute):
            parts.append(root.attr)
            root = root.value
        if isinstance(root, ast.Name) and root.id in self.meaning:
            self.note(".".join([self.meaning[root.id], *reversed(parts)]), node)
        else:
            self.generic_visit(node)

    def visit_FunctionDef(self, node):
        for part in (*node.decorator_list, node.args, *filter(None, [node.returns] if not self.late else [])):
            self.visit(part)
        self.inside += 1
        for part in node.body:
            self.visit(part)
        self.inside -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self.visit(node.args)
        self.inside += 1
        self.visit(node.body)
        self.inside -= 1

    def visit_arg(self, node):
        if node.annotation is not None and not self.late:
            self.visit(node.annotation)

    def visit_AnnAssign(self, node):
        for part in (node.target, node.value, None if self.late or self.inside else node.annotation):
            if part is not None:
                self.visit(part)

    def visit_Try(self, node):
        self.guarded("caught: the program goes on without it" if any(map(catches, node.handlers)) else None, node.body)
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    visit_TryStar = visit_Try

    def visit_If(self, node):
        guard = guard_of(node.test)
        if guard is None:
            self.visit(node.test)
        self.guarded(guard, node.body)
        for part in node.orelse:
            self.visit(part)

    def visit_IfExp(self, node):
        self.guarded(guard_of(node.test), [node.body])
        self.visit(node.test)
        self.visit(node.orelse)

    def guarded(self, outcome, body):
        self.guards += [outcome] if outcome else []
        for part in body:
            self.visit(part)
        if outcome:
            self.guards.pop()


def is_torch(name):
    return name == "torch" or name.startswith("torch.")


def catches(handler):
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(k is None or getattr(k, "id", getattr(k, "attr", "")) in CAUGHT for k in kinds)


def guard_of(test):
    """What keeps a block from running: a question whether the name is there, or one that only a type checker answers.
    """
    if isinstance(test, ast.UnaryOp):       # not ...: the block runs just then
        return None
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id == "TYPE_CHECKING" or getattr(node, "attr", "") == "TYPE_CHECKING":
            return "never runs: for type checkers"
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "hasattr":
            return "not reached: the program asks hasattr first"
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "is_available":
            return "not reached: the program asks is_available() first"
    return None
