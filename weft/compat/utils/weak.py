"""torch.utils.weak: references and dicts that go by which object it is, since the == of tensors is not a bool."""
import weakref
from collections.abc import MutableMapping


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to another one of the same object."""
    __slots__ = ("_id",)

    def __init__(self, key, callback=None):
        self._id = id(key)
        super().__init__(key, callback)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        mine, others = self(), other()
        return self is other if mine is None or others is None else mine is others

    def __ne__(self, other):
        return not self == other


class WeakIdKeyDictionary(MutableMapping):
    """A dict whose keys are objects, by identity; an entry goes when its key does."""

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.data, self.ref_type = {}, ref_type
        mine = weakref.ref(self)

        def remove(ref):
            here = mine()
            if here is not None:
                here.data.pop(ref, None)
        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __iter__(self):
        for ref in list(self.data):
            key = ref()
            if key is not None:
                yield key

    def __len__(self):
        return sum(ref() is not None for ref in list(self.data))

    def keyrefs(self):
        """The weak references of all keys."""
        return list(self.data)

    def copy(self):
        """Another dict of the same entries."""
        return type(self)(self, self.ref_type)

    __copy__ = copy

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor; calling it gives the tensor, or None."""

    def __init__(self, tensor):
        self.ref = WeakIdRef(tensor)

    def __call__(self):
        return self.ref()
