"""torch._subclasses.fake_tensor: to be compared with; no tensor is one."""
from weft._absent import absent_classes as _classes

_classes("FakeTensor FakeTensorMode", globals(), 'a tensor without values is one on device="meta"')


def is_fake(x):
    """False: no tensor here is a fake one."""
    return False
