"""A model of packages.py in a process of its own, in which torch is weft or PyTorch.

    run = Child("timm resnet18, ...", "weft", threads=2)
    run()       # one call there; gives its results, as arrays

The two sides talk by pickles in pipes, 0.1 ms a call; a child ends when its `Child` is dropped.
"""
import os
import pickle
import subprocess
import sys


class Child:
    """Calls a model's function in another process."""

    def __init__(self, name, library, threads):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), name, library, str(threads)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._answer()      # the model is made

    def __call__(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self):
        try:
            fault, results = pickle.load(self.process.stdout)
        except EOFError:
            fault = f"the process ended with exit code {self.process.wait()}"
        if fault:
            raise RuntimeError(fault)
        return results

    def __del__(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def serve(name, library, threads, ask, answer):
    """Make the model; then a call for each line that is asked for."""
    if library == "weft":
        from weft._torch import take_over
        take_over()
    import torch
    from packages import MODELS
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    run = MODELS[name][1]()
    answer((None, None))
    while ask.readline():
        answer((None, [t.numpy() for t in run()]))


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
