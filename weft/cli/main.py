"""weft: a dynamic-graph deep-learning framework with PyTorch's API.

usage: weft COMMAND [ARGUMENTS]
       weft --help | --version
"""
import difflib
import importlib
import pkgutil
import sys

from weft import cli
from weft._version import __version__


def commands():
    """The names of the commands: the modules beside this one, with - for _."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(cli.__path__)
                  if m.name != "main" and not m.name.startswith("_"))


def module_of(command):
    return importlib.import_module(f"weft.cli.{command.replace('-', '_')}")


def help_text():
    """The usage, and a line for each command: the first of its module's docstring."""
    lines = [f"  {name:10s} {module_of(name).__doc__.splitlines()[0]}" for name in commands()]
    return __doc__ + "\ncommands:\n" + "\n".join(lines)


def main(arguments=None):
    """Run a command; its exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(help_text())
        return 0
    if arguments[0] in ("-V", "--version"):
        print("weft", __version__)
        return 0
    name, *rest = arguments
    if name not in commands():
        close = difflib.get_close_matches(name, commands(), n=1, cutoff=0.4)
        print(f"weft: there is no command '{name}'" + (f". Did you mean: weft {close[0]}?" if close else "")
              + "\n  fix: `weft --help` lists the commands", file=sys.stderr)
        return 2
    return module_of(name).run(rest)
