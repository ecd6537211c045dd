"""run a PyTorch program as it is: `import torch` is weft for it and all that it imports

usage: weft run [--gpus N] PROGRAM.py [ARGUMENTS]
       weft run [--gpus N] -m MODULE [ARGUMENTS]
       weft run [--gpus N] -c CODE [ARGUMENTS]
       weft run --check PROGRAM.py | FOLDER | PACKAGE ...

The program runs as with `python PROGRAM.py`; the processes that it starts have the same torch. --gpus N lets the CPU
stand in for N GPUs, for programs that insist on some. --check runs nothing: it lists the names of torch that a program
or package uses and weft lacks, and what will happen there.
"""
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import types

OPTIONS = ("-m", "-c", "--check", "--gpus", "--help")


def run(arguments):
    """Run a program or look through it; the exit code."""
    if not arguments:
        return refuse("which program? give a .py file, or -m and a module")
    if arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if arguments[0] == "--check":
        from weft.cli._check import check  # only for this option
        return check(arguments[1:]) if arguments[1:] else refuse("--check needs a .py file, a folder or a package")
    if arguments[0] == "--gpus":
        if len(arguments) < 2 or not arguments[1].isdigit():
            return refuse("--gpus needs a number")
        os.environ["WEFT_GPUS"] = arguments[1]      # the processes that the program starts find it too
        return run(arguments[2:])
    if arguments[0] == "-m":
        return run_module(arguments[1:]) if arguments[1:] else refuse("-m needs the name of a module")
    if arguments[0] == "-c":
        return run_code(arguments[1:]) if arguments[1:] else refuse("-c needs the code to run")
    if arguments[0].startswith("-"):
        return refuse(f"there is no option {arguments[0]}")
    if not os.path.exists(arguments[0]):
        return refuse(f"there is no file {arguments[0]}")
    return run_file(arguments)


def refuse(problem):
    print(f"weft run: {problem}\n  fix: `weft run --help` shows how it is called", file=sys.stderr)
    return 2


def be_torch():
    """Let torch be weft here and in the processes that are started from here."""
    from weft._torch import SITE, take_over  # this import is what the command is about
    take_over()
    sys.path.insert(1, SITE)        # where PYTHONPATH has its place
    others = os.environ.get("PYTHONPATH", "")
    if SITE not in others.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (SITE, others)))


def run_file(arguments):
    """A file, or a folder or archive with a __main__.py, as `python FILE` runs it."""
    path = arguments[0]
    whole = os.path.isdir(path) or not _is_source(path)
    sys.path[0] = path if whole else os.path.dirname(os.path.realpath(path))
    be_torch()
    sys.argv[:] = arguments
    main = new_main()
    if whole:
        return guarded(lambda: runpy._run_module_as_main("__main__", alter_argv=False))
    main.__file__ = os.path.abspath(path)
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", main.__file__)
    return guarded(lambda: execute(main))


def _is_source(path):
    import zipfile  # rarely needed
    return not zipfile.is_zipfile(path)


def execute(main):
    with open(main.__file__, "rb") as file:
        source = file.read()
    exec(compile(source, main.__file__, "exec", dont_inherit=True), vars(main))


def run_module(arguments):
    """A module as `python -m MODULE` runs it."""
    sys.path[0] = os.getcwd()
    be_torch()
    sys.argv[:] = ["-m", *arguments[1:]]
    new_main()
    return guarded(lambda: runpy._run_module_as_main(arguments[0], alter_argv=True))


def run_code(arguments):
    """Code from the command line as `python -c CODE` runs it."""
    sys.path[0] = ""
    be_torch()
    sys.argv[:] = ["-c", *arguments[1:]]
    names = vars(new_main())
    return guarded(lambda: exec(compile(arguments[0], "<string>", "exec", dont_inherit=True), names))


def new_main():
    """An empty `__main__`, which stays until the end: what is pickled or run at exit looks there."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    main.__annotations__ = {}
    return main


def guarded(program):
    """Run it; an error is shown as Python shows it, from the program's own first line on. The exit code."""
    try:
        program()
        return 0
    except SystemExit:
        raise
    except BaseException as error:
        trace = own_part(error.__traceback__)
        error.__traceback__ = trace
        sys.excepthook(type(error), error, trace)
        return 130 if isinstance(error, KeyboardInterrupt) else 1


def own_part(trace):
    """The traceback without the frames of this file and of runpy."""
    while trace is not None and (trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__)
                                 or trace.tb_frame.f_code.co_filename.startswith("<frozen runpy")):
        trace = trace.tb_next
    return trace
