"""`map_location`: where storages go. weft has the CPU and `meta`; what was saved from a GPU goes to the CPU."""
from weft.core import device as devices
from weft.io.errors import bad
from weft.io.rebuild import FileStorage, meta_storage
from weft.tensor.storage import TypedStorage, UntypedStorage


class Places:
    """A map_location: a device or its name for everything, a dict from saved to wanted names, or a function (storage,
    name) -> storage.
    """

    def __init__(self, map_location):
        self.function = self.names = None
        self.device = devices.CPU
        if isinstance(map_location, dict):
            self.names = map_location
        elif isinstance(map_location, (str, bytes, devices.device, int)):
            name = map_location.decode("ascii") if isinstance(map_location, bytes) else map_location
            self.device = devices.of(name)
        elif callable(map_location):
            self.function = map_location
        elif map_location is not None:
            raise TypeError(f"load: map_location is a {type(map_location).__name__}\n  fix: give 'cpu', a device, a "
                            f"dict of names or a function")
        self.meta = self.device is devices.META

    def put(self, storage, location):
        """The storage where it is wanted; `location` is the place that it was saved from."""
        if self.names is not None and location in self.names:
            wanted = devices.of(self.names[location])
            return meta_storage(storage.nbytes()) if wanted is devices.META else storage
        if self.function is None:
            return storage
        found = self.function(storage, location)
        if found is None or found is storage:
            return storage
        found = found.untyped() if isinstance(found, TypedStorage) else found
        if not isinstance(found, UntypedStorage) or found.nbytes() < storage.nbytes():
            raise bad("map_location gave something that isn't a storage of that size", "return the storage, or None")
        return found if isinstance(found, FileStorage) else FileStorage(found._bytes)
