"""The twin of select.pyx in plain Python: it takes no case, so the NumPy code of ops/sort.py runs."""


def topk(a, k, axis, largest, sorted):
    return None


def kthvalue(a, k, axis, keepdim):
    return None


def mode(a, axis, keepdim):
    return None
