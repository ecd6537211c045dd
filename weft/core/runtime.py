"""The twin of runtime.pyx in plain Python: the user's frame, thread-local mode bits, methods on a type."""
import os
import sys
import threading
import weakref

COMPILED = False
HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class _Thread(threading.local):
    bits = 0
    offset = 0
    module = None
    matcher = None
    kept = None


_thread = _Thread()


def user_code():
    """The code object of the user's running function (None without one); `user_offset()` then says where in it."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith(HOME):
            _thread.offset = frame.f_lasti
            return frame.f_code
        frame = frame.f_back
    return None


def user_offset():
    """The offset that the last `user_code()` found; read it at once."""
    return _thread.offset


def short_trace(trace):
    """A traceback without weft's own frames: here all of them are shown, they have source lines."""
    return trace


def shows_own_frames():
    """Whether tracebacks show weft's own frames."""
    return True


def show_own_frames(on):
    """They are always shown here."""


def mode_bits():
    """This thread's mode bits."""
    return _thread.bits


def set_mode_bits(bits):
    """Set this thread's mode bits; the old ones come back."""
    old = _thread.bits
    _thread.bits = bits
    return old


def running():
    """The path of the nn module that is running in this thread, or None."""
    return _thread.module


def set_running(path):
    old = _thread.module
    _thread.module = path
    return old


def weakly(value):
    """The weak reference to an object: calling it gives the object, or None once it is gone."""
    return weakref.ref(value)


def matcher():
    """Who follows a recorded path in this thread (core/matching.py), or None."""
    return _thread.matcher


def set_matcher(matcher):
    """Set it; the caller keeps it alive. The old one comes back."""
    old = _thread.matcher
    _thread.matcher = matcher
    return old


def kept():
    """What `keep` was given in this thread, or None."""
    return _thread.kept


def keep(value):
    """Keep an object for as long as this thread runs."""
    _thread.kept = value


def pointer_hash(x):
    """The hash of an object's identity."""
    return id(x) >> 4


def give_dict(cls, slot):
    """Plain instances have a dict anyway."""


def dict_of(x):
    return vars(x)


def set_dict_of(x, value):
    """Give an instance another dict."""
    x.__dict__ = value


def become(x, cls):
    """Make an object one of a subclass that adds nothing to it."""
    x.__class__ = cls


def attach(cls, name, value):
    """Give a type an attribute."""
    setattr(cls, name, value)


def open_type(cls):
    """A class of Python's is open anyway."""


def name_type(cls, module):
    """Say in which module a class is found."""
    cls.__module__ = module


def quick_members(cls, names):
    """`__getattr__` looks for them."""


def pure_fields(cls, **defaults):
    """In plain Python, the fields that the .pxd declares get their defaults here."""
    for name, value in defaults.items():
        setattr(cls, name, value)
