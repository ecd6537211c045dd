"""FileCheck: whether lines of a text come in the order that a test says."""
import re


class FileCheck:
    """What a text must contain, one after the other; `run(text)` raises RuntimeError where it doesn't.

    >>> import weft
    >>> weft.testing.FileCheck().check("add").check_not("mul").check_count("relu", 2).run("add relu relu")
    """

    def __init__(self):
        self._steps = []        # (kind, pattern, how often, exactly)

    def _add(self, *step):
        self._steps.append(step)
        return self

    def check(self, test_string):
        """It comes somewhere after what was found last.

        >>> import weft
        >>> weft.testing.FileCheck().check("b").run("a b")
        """
        return self._add("next", re.escape(test_string), 1, False)

    def check_regex(self, pattern):
        """A match comes somewhere after what was found last.

        >>> import weft
        >>> weft.testing.FileCheck().check_regex("b+").run("a bb")
        """
        return self._add("next", pattern, 1, False)

    def check_count(self, test_string, count, exactly=False):
        """It comes `count` times after what was found last; with `exactly`, no further time.

        >>> import weft
        >>> weft.testing.FileCheck().check_count("a", 2, exactly=True).run("a a")
        """
        return self._add("next", re.escape(test_string), count, exactly)

    def check_dag(self, test_string):
        """It comes after what was found last; neighbours of this kind come in any order.

        >>> import weft
        >>> weft.testing.FileCheck().check_dag("b").check_dag("a").run("a b")
        """
        return self._add("dag", re.escape(test_string), 1, False)

    def check_not(self, test_string):
        """It doesn't come between what was found last and what is found next.

        >>> import weft
        >>> weft.testing.FileCheck().check_not("c").run("a b")
        """
        return self._add("not", re.escape(test_string), 1, False)

    def check_next(self, test_string):
        """It comes on the next line.

        >>> import weft
        >>> weft.testing.FileCheck().check("a").check_next("b").run("a\\nb")
        """
        return self._add("line", re.escape(test_string), 1, False)

    def check_same(self, test_string):
        """It comes later on the same line.

        >>> import weft
        >>> weft.testing.FileCheck().check("a").check_same("b").run("a b")
        """
        return self._add("same", re.escape(test_string), 1, False)

    def check_source_highlighted(self, test_string):
        """It comes, and the next line underlines it with ~~~.

        >>> import weft
        >>> weft.testing.FileCheck().check_source_highlighted("x").run("y = x\\n    ~")
        """
        return self._add("underlined", re.escape(test_string), 1, False)

    def run(self, test_file):
        """Look for all of it in a text, or in what a graph prints.

        >>> import weft
        >>> weft.testing.FileCheck().check("a").run("a b")
        """
        text, at, forbidden, together = str(test_file), 0, [], []
        for step in [*self._steps, ("end", "", 1, False)]:
            kind, pattern, count, exactly = step
            if kind != "dag" and together:
                at, together = max(together), []
            if kind == "not":
                forbidden.append(pattern)
                continue
            first, start = None, at
            for _ in range(count if kind != "end" else 0):
                found = self._find(kind, pattern, text, start)
                first, start = found.start() if first is None else first, found.end()
            if exactly and re.search(pattern, text[start:]):
                raise RuntimeError(f"Expected to find {_plain(pattern)!r} exactly {count} times, but there is more of "
                                   f"it in:\n{text[at:]}")
            self._refuse(forbidden, text[at:len(text) if first is None else first])
            forbidden = []
            if kind == "dag":
                together.append(start)
            else:
                at = start

    def _find(self, kind, pattern, text, at):
        end = len(text)
        if kind in ("line", "same"):
            line = text.find("\n", at)
            if kind == "line":
                at, line = (len(text), -1) if line < 0 else (line + 1, text.find("\n", line + 1))
            end = end if line < 0 else line
        found = re.compile(pattern).search(text, at, end)
        if found is None:
            raise RuntimeError(f"Expected to find {_plain(pattern)!r} but did not find it\nSearched string:\n"
                               f"{text[at:end]}")
        if kind == "underlined":
            column = found.start() - (text.rfind("\n", 0, found.start()) + 1)
            below = text[found.end():].partition("\n")[2].partition("\n")[0]
            if "~" not in below[column:column + len(found.group())]:
                raise RuntimeError(f"Expected to find {_plain(pattern)!r} highlighted, but the line below is {below!r}")
        return found

    @staticmethod
    def _refuse(patterns, between):
        for pattern in patterns:
            if re.search(pattern, between):
                raise RuntimeError(f"Expected to not find {_plain(pattern)!r} but found it\nSearched string:\n"
                                   f"{between}")


def _plain(pattern):
    return re.sub(r"\\(.)", r"\1", pattern)
