"""run a program and see its graph, gradients and metrics live in the browser; or open a saved page

usage: weft view [OPTIONS] PROGRAM.py [ARGUMENTS]
       weft view SAVED.html | SAVED.json

The program runs as with `python PROGRAM.py`. Its graphs are recorded at each backward(); run.log() of weft.viz.watch,
or weft.viz.log(loss=...), adds metrics. The page stays after the program's end, until Ctrl-C.

options (before the program):
  --every N       record each N-th step (otherwise: as often as takes at most a quarter of the time)
  --keep N        keep at most N graphs (60)
  --save PATH     write the page to PATH when the program has ended (.html, or .json)
  --port N        the port on 127.0.0.1 (otherwise a free one)
  --no-browser    print the address, open nothing
  --no-wait       end with the program
"""
import json
import os
import runpy
import sys
import threading
import traceback

NUMBERS, TEXTS, FLAGS = ("--every", "--keep", "--port"), ("--save",), ("--no-browser", "--no-wait")
OPTIONS = NUMBERS + TEXTS + FLAGS + ("--help",)


class Usage(Exception):
    """What is wrong with the arguments."""


def run(arguments):
    """Run a program with recording on, or open what was saved."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    try:
        options, target, rest = read(arguments)
        if target.endswith((".html", ".json")):
            return open_saved(target, rest, options)
        return view(target, rest, options)
    except Usage as problem:
        print(f"weft view: {problem}\n  fix: `weft view --help` shows how it is called", file=sys.stderr)
        return 2


def read(arguments):
    """(options, target, the target's own arguments)."""
    options, left = dict.fromkeys(NUMBERS + TEXTS + FLAGS), list(arguments)
    while left and left[0].startswith("-"):
        name, given, value = left.pop(0).partition("=")
        if name in FLAGS and not given:
            options[name] = True
        elif name in NUMBERS + TEXTS:
            if not given:
                if not left:
                    raise Usage(f"{name} needs a value")
                value = left.pop(0)
            options[name] = number(name, value) if name in NUMBERS else value
        else:
            raise Usage(f"there is no option {name}")
    if not left:
        raise Usage("which program? give a .py file, or a saved .html or .json")
    if not os.path.isfile(left[0]):
        raise Usage(f"there is no file {left[0]}")
    return options, left[0], left[1:]


def number(name, value):
    least = {"--every": 1, "--keep": 3, "--port": 0}[name]
    if not value.isascii() or not value.isdigit() or int(value) < least or name == "--port" and int(value) > 65535:
        raise Usage(f"{name} takes a whole number from {least} on, not {value!r}")
    return int(value)


def open_saved(path, rest, options):
    """A page is opened as it is; a document gets a page."""
    from weft.viz import page  # a command loads what it needs when it runs
    if rest:
        raise Usage(f"a saved page takes no arguments, got {' '.join(rest)}")
    browser = not options["--no-browser"]
    if path.endswith(".html"):
        address = "file://" + os.path.abspath(path)
        if not (browser and page.open_browser(address)):
            print(f"the graph page: {address}")
        return 0
    try:
        with open(path, encoding="utf-8") as file:
            page.show(json.load(file), options["--save"], browser)
    except (ValueError, TypeError) as problem:
        raise Usage(f"{path} can't be shown: {problem}") from None
    return 0


def view(program, rest, options):
    """Run the program in this process, with the page beside it."""
    from weft.viz.recorder import watch  # a command loads what it needs when it runs
    from weft.viz.server import Server  # the same
    recording = watch(every=options["--every"], keep=options["--keep"] or 60, title=os.path.basename(program))
    try:
        server = Server(recording.run, options["--port"] or 0).start()
    except OSError as problem:
        raise Usage(str(problem)) from None
    try:
        server.announce(not options["--no-browser"])
        code = execute(program, rest, recording)
        if options["--save"]:
            print(f"saved: {recording.run.save(options['--save'])}", flush=True)
        if not options["--no-wait"]:
            print(f"{os.path.basename(program)} {'failed' if code else 'has ended'}; the page stays at {server.url} "
                  f"until Ctrl-C", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        print(flush=True)
    finally:
        server.stop()
    return code


def execute(program, rest, recording):
    """The program as `python program` would run it; its exit code. What it raises is printed, and shown on the page."""
    arguments, path = sys.argv, list(sys.path)
    sys.argv, sys.path[0] = [program, *rest], os.path.dirname(os.path.abspath(program))
    try:
        with recording:
            runpy.run_path(program, run_name="__main__")
        return 0
    except SystemExit as end:
        return (end.code if isinstance(end.code, int) else 0 if end.code is None else print(end.code, file=sys.stderr)
                or 1)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except Exception as error:
        print(own_part(error), file=sys.stderr, end="", flush=True)
        return 1
    finally:
        sys.argv, sys.path[:] = arguments, path


def own_part(error):
    """The traceback from the program's own first line on."""
    found = traceback.TracebackException.from_exception(error)
    while (found.stack and (found.stack[0].filename in (__file__, runpy.__file__)
                            or found.stack[0].filename.startswith("<frozen"))):
        del found.stack[0]
    return "".join(found.format())
