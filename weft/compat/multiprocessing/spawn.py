"""Start a function in several processes and wait for all of them, ending the others when one fails."""
import multiprocessing
import multiprocessing.connection
import signal
import sys
import traceback

from weft.core.processes import processes


class ProcessException(Exception):
    """A process that failed: which one."""

    def __init__(self, msg, error_index, pid):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """It raised; the message has its traceback."""


class ProcessExitedException(ProcessException):
    """It ended with an exit code or by a signal."""

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _run(fn, i, args, errors):
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        processes.failing = True        # weft.distributed then waits for nobody
        errors.put(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """The processes that were started."""

    def __init__(self, processes, errors):
        self.processes, self._errors = processes, errors
        self._left = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self):
        """Their numbers."""
        return [process.pid for process in self.processes]

    def join(self, timeout=None, grace_period=None):
        """Wait until one more has ended; True when all have. The first failure ends the others and is raised here."""
        if not self._left:
            return True
        failed = None
        for sentinel in multiprocessing.connection.wait(list(self._left), timeout):
            i = self._left.pop(sentinel)
            self.processes[i].join()
            if self.processes[i].exitcode != 0:
                failed = i
                break
        if failed is None:
            return not self._left
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        for process in self.processes:
            process.join(grace_period)
            if process.is_alive():
                process.kill()
                process.join()
        self._fail(failed)

    def _fail(self, i):
        process, errors = self.processes[i], self._errors[i]
        if errors.empty():
            code = process.exitcode
            name = signal.Signals(-code).name if code < 0 else None
            said = f"process {i} terminated with " + (f"signal {name}" if name else f"exit code {code}")
            raise ProcessExitedException(said, i, process.pid, code, name)
        raise ProcessRaisedException(f"\n\n-- Process {i} terminated with the following error:\n{errors.get()}", i,
                                     process.pid)


SpawnContext = ProcessContext


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn", numa_options=None):
    """Run fn(i, *args) in processes number 0 to nprocs - 1; None when all have ended, or a context with join=False."""
    context = multiprocessing.get_context(start_method)
    processes, errors = [], []
    for i in range(nprocs):
        errors.append(context.SimpleQueue())
        processes.append(context.Process(target=_run, args=(fn, i, args, errors[i]), daemon=daemon))
        processes[i].start()
    made = ProcessContext(processes, errors)
    if not join:
        return made
    while not made.join():
        pass
    return None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """start_processes() with Python started anew in each."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
