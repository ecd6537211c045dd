"""Safety: a checkpoint is data; one that would run code is refused before anything runs."""
import os
import pickle
import tempfile

import weft


class Attack:
    def __reduce__(self):
        return os.mkdir, (os.path.join(folder, "attacked"),)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "weights.pt")
    with open(path, "wb") as file:
        pickle.dump({"weight": Attack()}, file, protocol=2)
    try:
        weft.load(path)
    except Exception as error:
        print(type(error).__name__)
    print("it ran:", os.path.exists(os.path.join(folder, "attacked")))
