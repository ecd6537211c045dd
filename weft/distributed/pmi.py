"""Where the processes of a job that no mpiexec started find each other.

MPICH's processes ask a process manager for each other's addresses, over a socket, in lines of `key=value` words (its
wire protocol "PMI-1"). Rank 0 starts this file as a program (MPI starts and ends with Python's lock held, so a thread
could not answer) that serves it at MASTER_ADDR:MASTER_PORT. So processes made by mp.spawn, or by hand with RANK and
WORLD_SIZE, become one MPI job with shared memory and all. It ends with the last of them. The same server hears who
still lives (see `pulse`), and does only that where an mpiexec brought the processes together.
"""
import errno
import os
import secrets
import socket
import subprocess
import sys
import threading
import time

if __package__:
    from weft.distributed import pulse
else:       # started as a program, without the library
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    import pulse

LONGEST = {"kvsname_max": 256, "keylen_max": 64, "vallen_max": 1024}
PATIENCE = 3        # seconds for which an address may be in use


class Server:
    """Answers `size` processes: keys put and got, and a barrier. seconds: of silence, after which one is given up;
    introduced: they know each other already.
    """

    def __init__(self, listening, size, seconds, introduced=False):
        self.size, self.kept, self.lock = size, {}, threading.Lock()
        self.waiting, self.here, self.gone, self.orphaned = [], 0, 0, False
        self.ward, self.introduced = pulse.Ward(seconds), introduced
        self.socket = listening
        self.name = secrets.token_hex(8)        # MPICH's shared memory is called after it

    def run(self):
        """Serve until all have come and gone, or rank 0 is gone and nobody else is there."""
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.listen_to_parent, daemon=True).start()
        while not (self.over() or self.ward.failed()):
            time.sleep(0.1)
        self.ward.end()

    def over(self):
        if self.introduced:
            return not self.ward.members and (self.orphaned or self.ward.came >= self.size)
        return self.gone >= self.size or self.orphaned and self.gone >= self.here

    def listen_to_parent(self):
        sys.stdin.buffer.read()         # returns when rank 0 has ended
        time.sleep(1)                   # the others say goodbye
        self.orphaned = True

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:         # closed: all have come
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rwb", buffering=0) as line_by_line:
            rank = None         # somebody may look whether this port answers
            ended = False
            try:
                for line in line_by_line:
                    words = pulse.words_of(line.decode("ascii", "replace").strip())
                    if words.get("cmd") == "watch":
                        self.ward.add(connection.dup(), words)
                        return
                    command = self.answer(line_by_line, words, line.decode().strip())
                    rank = words["pmiid"] if command == "initack" else rank
                    ended = command == "finalize"
                    if ended:
                        break
            except (OSError, KeyError, ValueError):     # gone, or somebody who is none of ours
                pass
            if rank is not None:
                with self.lock:
                    self.gone += 1
                    self.release()
                if not ended:
                    self.ward.report("lost", int(rank))

    def answer(self, stream, words, line):
        """Answer one line; its command."""
        command = words.get("cmd")
        if command == "barrier_in":
            with self.lock:
                self.waiting.append(stream)
                self.release()
            return command
        for text in self.reply(command, words, line):
            stream.write(text.encode() + b"\n")
        if command == "initack":
            with self.lock:
                self.here += 1
                if self.here == self.size:      # the address is free for another job
                    self.socket.shutdown(socket.SHUT_RDWR)
                    self.socket.close()
        return command

    def reply(self, command, words, line):
        if command == "initack":
            return ["cmd=initack", f"cmd=set size={self.size}", f"cmd=set rank={words['pmiid']}", "cmd=set debug=0"]
        if command == "put":
            self.kept[words["key"]] = line.split("value=", 1)[1]
        if command == "get":
            value = self.kept.get(words["key"])
            return [f"cmd=get_result rc=0 msg=success value={value}" if value is not None
                    else "cmd=get_result rc=-1 msg=key_not_found value=unknown"]
        answers = {"init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
                   "get_maxes": "cmd=maxes " + " ".join(f"{k}={v}" for k, v in LONGEST.items()),
                   "get_appnum": "cmd=appnum appnum=0", "get_my_kvsname": f"cmd=my_kvsname kvsname=weft-{self.name}",
                   "get_universe_size": "cmd=universe_size size=-1", "put": "cmd=put_result rc=0 msg=success",
                   "finalize": "cmd=finalize_ack rc=0"}
        return [answers[command]] if command in answers else []

    def release(self):
        """Let the waiting ones go on when nobody else can come: who has ended is not waited for."""
        if self.waiting and len(self.waiting) + self.gone >= self.size:
            waiting, self.waiting = self.waiting, []
            for stream in waiting:
                try:
                    stream.write(b"cmd=barrier_out rc=0\n")
                except (OSError, ValueError):
                    pass


def wait_for(host, port, seconds):
    """Until somebody listens there."""
    until = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, port), timeout=5).close()
            return
        except OSError as error:
            if time.monotonic() > until:
                raise RuntimeError(f"init_process_group: nobody answers at {host}:{port} ({error})\n"
                                   "  fix: start rank 0 too, with the same MASTER_ADDR and MASTER_PORT") from error
            time.sleep(0.02)


def listen(host, port, size):
    """A socket at the address; one that a job that failed has just left is free soon."""
    here = "127.0.0.1" if host in ("localhost", "127.0.0.1") else ""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_server((here, port), backlog=size)
        except OSError as error:
            if time.monotonic() > until or error.errno != errno.EADDRINUSE:
                raise RuntimeError(f"init_process_group: rank 0 can't listen at {host}:{port} ({error.strerror})\n"
                                   "  fix: another MASTER_PORT") from error
            time.sleep(0.05)


def serve(listening, size, introduced=False):
    """Start the server as a program; it ends with the last process."""
    command = [sys.executable, "-I", "-S", os.path.abspath(__file__), listening.fileno(), size, pulse.limit(),
               int(introduced)]
    return subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, pass_fds=[listening.fileno()], start_new_session=True)


def meet(host, port, rank, size, seconds):
    """Set what MPICH reads when it starts; rank 0 also starts the server, and gives it back."""
    server = None
    if rank == 0:
        with listen(host, port, size) as listening:
            server = serve(listening, size)
    else:
        wait_for(host, port, seconds)
    os.environ.pop("PMI_FD", None)          # of an mpiexec further up, which started one process
    os.environ.update(PMI_PORT=f"{host}:{port}", PMI_ID=str(rank), PMI_RANK=str(rank), PMI_SIZE=str(size))
    return server


if __name__ == "__main__":
    Server(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4] == "1").run()
