"""A process of its own for each library, which does what it is asked.

    run = Child("timm resnet18, ...", "weft", threads=2)    # a model of packages.py, or a row
    run()                                                   # one call there; gives its results, as arrays
    Child("products", "numpy", 2)((product, 0.01))          # seconds of a product and its digest: products.py
    Child("textbook:TreeLSTM:one:0:DATA", "weft", 1)(2.0)   # trees a second within so many seconds: textbook.py
    with run.turn(): run()                                  # awake in its turns only

The two sides talk by pickles in pipes, 0.1 ms a call; a child ends when its `Child` is dropped. A library's threads go
on spinning for a while after a call (OpenBLAS's and OpenMP's for milliseconds): a child that is stopped between its
turns takes nothing from the others in theirs.
"""
import contextlib
import importlib
import os
import pickle
import signal
import subprocess
import sys


class Child:
    """Calls a function in another process."""

    def __init__(self, name, library, threads):
        # NumPy's OpenBLAS reads its number of threads when it is loaded
        numbers = {variable: str(threads) for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), name, library, str(threads)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env={**os.environ, **numbers})
        self._answer()      # the model is made

    def __call__(self, question=None):
        pickle.dump(question, self.process.stdin)
        self.process.stdin.flush()
        return self._answer()

    def stop(self):
        """It and its threads sleep until `go`."""
        self.process.send_signal(signal.SIGSTOP)

    def go(self):
        self.process.send_signal(signal.SIGCONT)

    @contextlib.contextmanager
    def turn(self):
        """Awake within, asleep before and after."""
        self.go()
        try:
            yield self
        finally:
            self.stop()

    def _answer(self):
        try:
            fault, results = pickle.load(self.process.stdout)
        except EOFError:
            fault = f"the process ended with exit code {self.process.wait()}"
        if fault:
            raise RuntimeError(fault)
        return results

    def __del__(self):
        self.go()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def arrays(results):
    """The arrays of a tensor, or of several."""
    return [t.detach().numpy() for t in (results if isinstance(results, (list, tuple)) else [results])]


def work(name, library, threads):
    """What a child does: a function of what it is asked."""
    if name == "products":
        from products import timed
        return timed(library, threads)
    if name.startswith("textbook:"):
        from textbook import trainer
        _, program, way, dense, data = name.split(":", 4)
        return trainer(program, library, way, data, threads, dense == "1")
    from packages import MODELS
    if name not in MODELS:
        from rows import all_rows
        makers = {row.name: row.make for row in all_rows()}
        T = importlib.import_module(library)
        T.set_num_threads(threads)
        run = makers[name](T)
        return lambda _: arrays(run())
    if library == "weft":
        from weft._torch import take_over
        take_over()
    import torch
    sys.path.append(os.path.join(os.path.dirname(__file__), os.pardir, "tools"))
    from ecosystem_run import declare_torchvision
    declared = declare_torchvision()        # timm, transformers and diffusers import it where it is installed
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    run = MODELS[name][1]()
    return lambda _, declared=declared: arrays(run())


def serve(name, library, threads, ask, answer):
    """Prepare; then an answer for each question."""
    run = work(name, library, threads)
    answer((None, None))
    with contextlib.suppress(EOFError):
        while True:
            answer((None, run(pickle.load(ask))))


def main():
    name, library, threads = sys.argv[1:]
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)       # what packages print is no answer

    def answer(value):
        pickle.dump(value, pipe)
        pipe.flush()
    try:
        serve(name, library, int(threads), sys.stdin.buffer, answer)
    except Exception as error:
        answer((f"{type(error).__name__}: {error}", None))


if __name__ == "__main__":
    main()
