"""Threads for what comes from other workers: as many as are needed, for one may wait for another; and a clock."""
import heapq
import queue
import threading
import time


class Crew:
    """Threads that wait for work. There is a new one whenever all are busy."""

    def __init__(self):
        self.jobs, self.lock = queue.SimpleQueue(), threading.Lock()
        self.idle = self.count = 0

    def submit(self, work, *args):
        with self.lock:
            if self.idle:
                self.idle -= 1
            else:
                self.count += 1
                threading.Thread(target=self.run, name=f"weft rpc worker {self.count}", daemon=True).start()
        self.jobs.put((work, args))

    def run(self):
        while (job := self.jobs.get()) is not None:
            work, args = job
            work(*args)
            del job, work, args         # what they hold is not to live until the next
            with self.lock:
                self.idle += 1

    def dismiss(self):
        for _ in range(self.count):
            self.jobs.put(None)


class Clock:
    """Calls functions at their time, from one thread."""

    def __init__(self):
        self.times, self.changed, self.running = [], threading.Condition(), True
        self.thread = None

    def at(self, seconds, number, work):
        """Call work(number) after so many seconds."""
        with self.changed:
            heapq.heappush(self.times, (time.monotonic() + seconds, number, work))
            if self.thread is None:
                self.thread = threading.Thread(target=self.run, name="weft rpc clock", daemon=True)
                self.thread.start()
            elif self.times[0][1] == number:
                self.changed.notify()

    def run(self):
        while self.running:
            with self.changed:
                left = self.times[0][0] - time.monotonic() if self.times else 60.0
                if left > 0:
                    self.changed.wait(left)
                    continue
                _, number, work = heapq.heappop(self.times)
            work(number)

    def stop(self):
        with self.changed:
            self.running = False
            self.changed.notify()
