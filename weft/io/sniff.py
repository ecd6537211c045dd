"""What a file is that isn't a checkpoint, so that the error can say it."""

STARTS = (
    (b"version https://git-lfs", "a Git LFS pointer: the real file was not downloaded", "git lfs pull"),
    (b"\x1f\x8b", "compressed with gzip", "unpack it first: gunzip"),
    (b"BZh", "compressed with bzip2", "unpack it first: bunzip2"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it first: unxz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it first: unzstd"),
    (b"\x89HDF", "an HDF5 file (Keras?)", "read it with h5py"),
    (b"\x93NUMPY", "a NumPy array", "weft.from_numpy(numpy.load(path))"),
    (b"GGUF", "a GGUF file", "convert it to safetensors first"),
    (b"\x7fELF", "a program", "give the path of a checkpoint"),
    (b"%PDF", "a PDF document", "give the path of a checkpoint"),
    (b"\x89PNG", "a picture", "give the path of a checkpoint"),
    (b"\xff\xd8\xff", "a picture", "give the path of a checkpoint"),
    (b"Rar!", "a RAR archive", "unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it first"),
)
SAVED = "give the path of a file that torch.save, weft.save or safetensors wrote"


def describe(head, size):
    """(what a file is, what to do) from its first bytes; None if that can't be said."""
    if not size:
        return "empty", "the program that wrote it was stopped or the disk was full: go back to an older checkpoint"
    for start, what, fix in STARTS:
        if head.startswith(start):
            return what, fix
    if head[257:262] == b"ustar":
        return ("a tar archive (or a checkpoint of PyTorch 0.1)",
                "unpack it first; a PyTorch 0.1 file must be saved again with a newer PyTorch")
    if not head.strip(b"\0"):
        return ("nothing but zeros at its start",
                "the disk or the download lost its data: copy it again, or go back to an older checkpoint")
    return _text(head)


def _text(head):
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:
            return None
        text = head[:error.start].decode("utf-8")
    if not text.strip() or any(c < " " and c not in "\t\r\n\f" for c in text):
        return None
    start = text.lstrip().lower()
    if start.startswith(("<!doctype", "<html", "<head", "<?xml")):
        return "a web page, not a checkpoint: the download gave an error or a login page", "download the file itself"
    if start.startswith(("{", "[")):
        return "a JSON text, not a checkpoint", SAVED
    first = text.strip().splitlines()[0][:60]
    return f"a text file, not a checkpoint; it starts with {first!r}", SAVED


def describe_zip(names):
    """(what a zip archive is, what to do) from its members' names, which a checkpoint's data.pkl is not among."""
    if any(name.endswith(".npy") for name in names):
        return "an archive of NumPy arrays (.npz)", "read it with numpy.load"
    if any(name.endswith("[Content_Types].xml") for name in names):
        return "an office document", SAVED
    if any(name.endswith(".pkl") for name in names):
        return "an archive of pickles, but not a checkpoint", SAVED
    return ("a zip archive, but not a checkpoint (it has no data.pkl)",
            "unpack it, if the checkpoint is inside; otherwise " + SAVED)
