"""What MkDocs asks while it builds the manual (mkdocs.yml, `hooks`): the API reference is made here, in memory, and the
benchmarks' pictures come along. Nothing is written into docs/.
"""
import importlib.util
import pathlib

from mkdocs.structure.files import File

HOME = pathlib.Path(__file__).resolve().parent.parent
PICTURES = sorted((HOME / "benchmarks").glob("*.svg"))
LATER = {"text.md"}         # in the nav as soon as the page is there


def reference():
    """tools/reference.py, by its place: tools/ is no package."""
    spec = importlib.util.spec_from_file_location("reference", HOME / "tools" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def present(nav):
    """The nav without the pages of LATER that are not there yet."""
    kept = []
    for entry in nav:
        (title, what), = entry.items()
        if isinstance(what, list):
            kept.append({title: present(what)})
        elif what not in LATER or (HOME / "docs" / what).exists():
            kept.append(entry)
    return kept


def on_config(config):
    made = reference()
    config.extra["reference"] = made.pages()
    config.nav = present(config.nav) + [{"Reference": made.nav()}]
    return config


def on_files(files, config):
    for path, text in config.extra.pop("reference").items():
        files.append(File.generated(config, path, content=text))
    for picture in PICTURES:
        files.append(File.generated(config, f"benchmarks/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, config, files):
    """In the repository a page reaches the pictures by ../benchmarks/, in the manual they stand beside it."""
    return markdown.replace("](../benchmarks/", "](benchmarks/")
