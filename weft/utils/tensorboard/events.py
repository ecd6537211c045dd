"""Event files: a queue that the program fills, and a thread that writes it out."""
import atexit
import os
import socket
import threading
import time
import weakref

from weft.utils.tensorboard import messages as m
from weft.utils.tensorboard.arrays import as_step
from weft.utils.tensorboard.records import record

_counter = iter(range(1 << 62))     # tells apart the files of one process
_open = weakref.WeakSet()           # queues to be written out at the end, or let go of in a forked child


class EventFile:
    """One event file; written whole records at a time, so whatever happens to the program, what is in it can be read.
    """

    def __init__(self, logdir, max_queue=10, flush_secs=120, suffix=""):
        self.logdir, self.suffix = logdir, suffix
        self.max_queue, self.flush_secs = max(1, max_queue), max(0.01, flush_secs)
        self._open_file()
        _open.add(self)

    def _open_file(self):
        os.makedirs(self.logdir, exist_ok=True)
        name = (f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}."
                f"{next(_counter)}{self.suffix}")
        self.path = os.path.join(self.logdir, name)
        self._file = open(self.path, "ab", buffering=0)
        self._fresh()
        self._writing = threading.Lock()    # held while the file is written
        self.add(m.event(time.time(), version="brain.Event:2", writer="weft.utils.tensorboard"))
        self.flush()

    def _fresh(self):
        self._pending, self._error, self._worker = [], None, None
        self._change = threading.Condition()
        self.closed = self._inherited = False

    def _leave_to_parent(self):
        """In a forked child: the file and what is in the queue are the parent's; the first use opens a file of the
        child's own.
        """
        closed = self.closed
        self._fresh()
        self.closed, self._inherited = closed, not closed

    def add(self, event):
        """Queue an encoded event."""
        if self._inherited:
            self._open_file()
        if self.closed:
            raise OSError(f"the event file {self.path} is closed")
        self._raise_error()
        with self._change:
            self._pending.append(event)
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="weft-events", daemon=True)
                self._worker.start()
            if len(self._pending) >= self.max_queue:
                self._change.notify()
        if len(self._pending) >= 64 * self.max_queue:       # the disk is slower than the program: wait for it
            self.flush()

    def _work(self):
        """Write when the queue is full, and every `flush_secs`."""
        while True:
            with self._change:
                self._change.wait_for(lambda: self.closed or len(self._pending) >= self.max_queue, self.flush_secs)
                if self.closed:
                    return
            try:
                self._write()
            except OSError as error:        # told to the program when it next uses the file
                self._error = error
                return

    def _write(self):
        with self._writing:
            with self._change:
                events, self._pending = self._pending, []
            content = memoryview(b"".join(record(event) for event in events))
            start = self._file.seek(0, os.SEEK_END) if events else 0
            try:
                while content:
                    content = content[self._file.write(content):]
            except OSError:                 # no half record stays, and nothing is lost: the next flush tries again
                self._file.truncate(start)
                with self._change:
                    self._pending[:0] = events
                raise

    def _raise_error(self):
        if self._error is not None:
            error, self._error, self._worker = self._error, None, None
            raise OSError(error.errno, f"writing events failed: {error.strerror or error}", self.path)

    def flush(self):
        """Write out what is queued, before returning."""
        if self._inherited:
            return
        self._raise_error()
        self._write()

    def close(self):
        """Write out what is queued, and close the file."""
        if self._inherited or self.closed:
            self.closed = True
            return
        try:
            self.flush()
        finally:
            with self._change:
                self.closed = True
                self._change.notify_all()
            worker = self._worker
            if worker is not None and worker is not threading.current_thread():
                worker.join(5)
            self._file.close()


def _finish():
    for file in list(_open):
        if not file.closed:
            try:
                file.flush()
            except OSError as error:
                print(f"weft: the last events of {file.path} could not be written: {error}")


def _forked():
    for file in list(_open):
        file._leave_to_parent()


atexit.register(_finish)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class FileWriter:
    """Writes encoded events to an event file in a folder, in the background.

    >>> import weft
    >>> import os
    >>> writer = weft.utils.tensorboard.FileWriter("events")
    >>> writer.add_event(b"", step=1)
    >>> writer.close()
    >>> len(os.listdir("events"))
    1
    """

    def __init__(self, log_dir, max_queue=10, flush_secs=120, filename_suffix=""):
        self._logdir = os.fspath(log_dir)
        self._settings = (max_queue, flush_secs, filename_suffix)
        self.event_writer = EventFile(self._logdir, *self._settings)

    def get_logdir(self):
        """The folder of the event file.

        >>> import weft
        >>> writer = weft.utils.tensorboard.FileWriter("events")
        >>> writer.close()
        >>> writer.get_logdir()
        'events'
        """
        return self._logdir

    def add_event(self, event, step=None, walltime=None):
        """Add an encoded event, or one of the protobuf package, with a time and a step.

        >>> import weft
        >>> writer = weft.utils.tensorboard.FileWriter("events")
        >>> writer.add_event(b"", step=1)
        >>> writer.flush()
        >>> writer.close()
        """
        stamp = m.event(time.time() if walltime is None else float(walltime), as_step(step))
        self.event_writer.add(m.as_bytes(event) + stamp)        # of a field that comes twice, the last counts

    def add_summary(self, summary, global_step=None, walltime=None):
        """Add an encoded summary.

        >>> import weft
        >>> writer = weft.utils.tensorboard.FileWriter("events")
        >>> writer.add_summary(b"", global_step=1)
        >>> writer.close()
        """
        self.add_event(m.event(summary=m.as_bytes(summary)), global_step, walltime)

    def add_graph(self, graph_profile, walltime=None):
        """Add a graph: (GraphDef, RunMetadata).

        >>> import weft
        >>> writer = weft.utils.tensorboard.FileWriter("events")
        >>> writer.add_graph((b"", b""))
        >>> writer.close()
        """
        graph, run = graph_profile
        self.add_event(m.event(graph=m.as_bytes(graph)), None, walltime)
        self.add_event(m.event(run_metadata=("step1", m.as_bytes(run))), None, walltime)

    def add_onnx_graph(self, graph, walltime=None):
        """Add a GraphDef.

        >>> import weft
        >>> writer = weft.utils.tensorboard.FileWriter("events")
        >>> writer.add_onnx_graph(b"")
        >>> writer.close()
        """
        self.add_event(m.event(graph=m.as_bytes(graph)), None, walltime)

    def flush(self):
        """Write out what waits.

        >>> import weft
        >>> writer = weft.utils.tensorboard.FileWriter("events")
        >>> writer.add_event(b"", step=1)
        >>> writer.flush()
        >>> writer.close()
        """
        self.event_writer.flush()

    def close(self):
        """Write out what waits, and close the file.

        >>> import weft
        >>> writer = weft.utils.tensorboard.FileWriter("events")
        >>> writer.add_event(b"", step=1)
        >>> writer.flush()
        >>> writer.close()
        """
        self.event_writer.close()

    def reopen(self):
        """After close(): go on in a new file of the same folder.

        >>> import weft
        >>> import os
        >>> writer = weft.utils.tensorboard.FileWriter("reopened")
        >>> writer.close()
        >>> writer.reopen()
        >>> writer.close()
        >>> len(os.listdir("reopened"))
        2
        """
        if self.event_writer.closed:
            self.event_writer = EventFile(self._logdir, *self._settings)
