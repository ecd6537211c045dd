"""The commonest mistakes (tools/mistakes.py): each raises its type, with the words that help, in few frames."""
import importlib.util
import pathlib

import pytest

from weft._pure import PURE

HOME = pathlib.Path(__file__).parent.parent
spec = importlib.util.spec_from_file_location("mistakes", HOME / "tools" / "mistakes.py")
mistakes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mistakes)


@pytest.mark.parametrize("mistake", mistakes.MISTAKES, ids=lambda m: m.title)
def test_mistake_says_what_is_wrong(mistake):
    seen = mistakes.run(mistake, "weft")
    assert seen is not None, "it raised nothing"
    assert seen.kind == mistake.kind, seen.text
    assert not [word for word in mistake.words if word not in seen.text], seen.text
    if not PURE:
        own = mistake.code.count("def ")        # frames of the user's functions may stand below the first
        assert seen.frames <= 1 + own
        assert seen.caught <= 8


def test_the_page_is_of_these_mistakes():
    page = (HOME / "docs" / "mistakes.md").read_text()
    for mistake in mistakes.MISTAKES:
        assert f"## {mistakes.headline(mistake.title)}\n\n```python\n{mistake.code}\n```" in page, mistake.title
    assert "(no error)" not in page
