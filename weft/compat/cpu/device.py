"""Questions about the one device that there is."""


def is_available():
    return True


def device_count():
    return 1


def current_device():
    return "cpu"


def synchronize(device=None):
    """Nothing to wait for."""


class Stream:
    """A queue of work: the CPU has one, which is done with each call before the next begins.

    >>> import weft
    >>> with weft.cpu.stream(weft.cpu.Stream()):
    ...     print(weft.ones(1))
    tensor([1.])
    """

    def __init__(self, priority=-1):
        self.priority = priority

    def wait_stream(self, stream):
        """Its work is done already.

        >>> import weft
        >>> weft.cpu.Stream().wait_stream(weft.cpu.current_stream())
        """

    def record_event(self):
        """Nothing to mark: all is done.

        >>> import weft
        >>> weft.cpu.Stream().record_event()
        """

    def wait_event(self, event):
        """Nothing to wait for.

        >>> import weft
        >>> weft.cpu.Stream().wait_event(weft.cpu.Event())
        """


class Event:
    """A mark in a queue of work, which has always been reached.

    >>> import weft
    >>> weft.cpu.Event().query()
    True
    """

    def query(self):
        """Whether it was reached: yes.

        >>> import weft
        >>> weft.cpu.Event().query()
        True
        """
        return True

    def record(self, stream=None):
        """Nothing to mark: all is done.

        >>> import weft
        >>> weft.cpu.Event().record()
        """

    def synchronize(self):
        """Nothing to wait for.

        >>> import weft
        >>> weft.cpu.Event().synchronize()
        """

    def wait(self, stream=None):
        """Nothing to wait for.

        >>> import weft
        >>> weft.cpu.Event().wait()
        """


class StreamContext:
    """`with torch.cpu.stream(s):`; the CPU's current stream becomes s.

    >>> import weft
    >>> mine = weft.cpu.Stream()
    >>> with weft.cpu.stream(mine):
    ...     weft.cpu.current_stream() is mine
    True
    """

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            _streams.append(self.stream)

    def __exit__(self, *exc):
        if self.stream is not None:
            _streams.pop()


_streams = [Stream()]


def stream(stream):
    """A context in which `stream` is the current one.

    >>> import weft
    >>> with weft.cpu.stream(None):
    ...     pass
    """
    return StreamContext(stream)


def current_stream(device=None):
    """The stream that is current.

    >>> import weft
    >>> type(weft.cpu.current_stream()).__name__
    'Stream'
    """
    return _streams[-1]


def set_device(device):
    """Nothing to choose: there is one CPU.

    >>> import weft
    >>> weft.cpu.set_device("cpu")
    """


def is_initialized():
    """Whether the device can be used: yes.

    >>> import weft
    >>> weft.cpu.is_initialized()
    True
    """
    return True
