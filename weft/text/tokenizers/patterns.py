r"""Regular expressions as tokenizer files have them (\p{L}, \s of Unicode) in Python's own `re`.

Python's \w and \d are other classes than \p{L} and \p{N}, so those are written out as ranges, made of unicodedata's
table when a pattern first asks for them. A file's pattern is looked at before it is used: one that could backtrack
without end is refused.
"""
import functools
import re
import unicodedata

from weft.core.errors import fail

try:
    from re import _constants as kinds
    from re import _parser as parser
except ImportError:         # Python 3.10
    import sre_constants as kinds
    import sre_parse as parser

__all__ = ["translate", "GPT2"]

SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"      # White_Space, which \s is elsewhere
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
MOST_LETTERS = 20_000
_SAMPLES = "aZ0 \n\t.'-_"
_REPEATS = {kinds.MAX_REPEAT, kinds.MIN_REPEAT, getattr(kinds, "POSSESSIVE_REPEAT", None)}
_ESCAPE = re.compile(r"\\(?:([pP])(?:\{(\^?)([^{}]+)\}|([A-Z]))|x\{([0-9a-fA-F]{1,6})\}|(.))", re.S)


@functools.cache
def _categories():
    """{category: [(first, last), ...]} of all letters, from one walk through the table."""
    found, start, current = {}, 0, unicodedata.category("\0")
    for code in range(1, 0x110001):
        kind = unicodedata.category(chr(code)) if code < 0x110000 else None
        if kind != current:
            found.setdefault(current, []).append((start, code - 1))
            start, current = code, kind
    return found


@functools.cache
def ranges(name):
    """The inside of a class [...] for \\p{name}: a category such as L, Lu, N, or a script that is a plain range."""
    long = {"Letter": "L", "Number": "N", "Punctuation": "P", "Symbol": "S", "Mark": "M", "Separator": "Z"}
    short = long.get(name, name)
    scripts = {"Han": "\\u2e80-\\u2fd5\\u3005\\u3007\\u3021-\\u3029\\u3038-\\u303b\\u3400-\\u4dbf\\u4e00-\\u9fff"
                      "\\uf900-\\ufaff\\U00020000-\\U000323af"}
    if short in scripts:
        return scripts[short]
    chosen = [pair for kind, pairs in _categories().items() if kind.startswith(short) for pair in pairs]
    if not chosen or not re.fullmatch(r"[A-Z][a-z]?", short):
        fail(ValueError, rf"the pattern asks for \p{{{name}}}, which isn't known here",
             fix="general categories (L, Lu, N, P, ...) and Han are known")
    joined = []
    for first, last in sorted(chosen):
        if joined and joined[-1][1] + 1 == first:
            joined[-1][1] = last
        else:
            joined.append([first, last])
    return "".join(f"\\U{a:08x}" + (f"-\\U{b:08x}" if b > a else "") for a, b in joined)


@functools.cache
def _word_letters():
    r"""The inside of a class for \w: letters, marks, digits, numbers of letters, what connects words."""
    return "".join(map(ranges, ("L", "M", "Nd", "Nl", "Pc"))) + r"\u24b6-\u24e9"


def _written_out(match, inside):
    """What stands for an escape, inside or outside of a class [...]."""
    letter, caret, name, short, code, other = match.groups()
    if code is not None:
        return f"\\U{int(code, 16):08x}"
    if letter is not None:
        negative = (letter == "P") != bool(caret)
        body = ranges(name or short)
    elif other in "sS":
        negative, body = other == "S", SPACE
    elif other in "hH":
        negative, body = other == "H", r"\t \xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
    elif other in "wW":         # to the library that reads these files, powers belong to words outside of [...] only
        negative, body = other == "W", _word_letters() + ("" if inside else r"\xb2\xb3\xb9\xbc-\xbe")
    elif other in "dD":
        negative, body = other == "D", ranges("Nd")
    elif other == "z":
        return r"\Z"
    elif other in "'\"/-_ <>,:;=!%&@~`#" and other not in "-#":
        return other
    else:
        return match.group(0)
    if not inside:
        return f"[{'^' if negative else ''}{body}]"
    if negative:
        return _complement(body)
    return body


def _complement(body):
    """The inside of a class that has all letters but these."""
    gaps, start = [], 0
    for first, last in sorted(_pairs(body)):
        if first > start:
            gaps.append((start, first - 1))
        start = max(start, last + 1)
    if start <= 0x10ffff:
        gaps.append((start, 0x10ffff))
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in gaps)


def _pairs(body):
    (_, items), = parser.parse(f"[{body}]")
    for kind, value in items:
        yield (value, value) if kind is kinds.LITERAL else value


@functools.lru_cache(maxsize=256)
def translate(pattern):
    """A compiled pattern of Python's for one of a tokenizer file.

    >>> from weft.text.tokenizers.patterns import GPT2, translate
    >>> translate(GPT2).findall("It's 2 été!  ok")
    ['It', "'s", ' 2', ' été', '!', ' ', ' ok']
    """
    if len(pattern) > MOST_LETTERS:
        fail(ValueError, f"a pattern of {len(pattern)} letters is refused", fix="don't trust this file")
    made, i, inside = [], 0, 0          # inside: how many [ are open
    while i < len(pattern):
        letter = pattern[i]
        if letter == "\\":
            match = _ESCAPE.match(pattern, i)
            if match is None:
                fail(ValueError, "the pattern ends with a backslash", fix="look at the file's pattern")
            made.append(_written_out(match, inside))
            i = match.end()
            continue
        if letter == "[" and not inside:
            inside = 1
            made.append("[")
            if pattern[i + 1:i + 2] == "^":
                made.append("^")
                i += 1
        elif inside and (letter == "[" and pattern[i + 1:i + 2] in ("^", ":") or pattern.startswith("&&", i)):
            fail(ValueError, f"a set of letters within another in the pattern {_short(pattern)!r}",
                 fix="not known here; write it as one set")
        elif inside and letter in "[]":         # a set in a set: all of it together
            inside += 1 if letter == "[" else -1
            made.append("]" if not inside else "")
        else:
            made.append(letter)
        i += 1
    source = "".join(made)
    try:
        tree = parser.parse(source)
        _check(tree)
        return re.compile(source)
    except (re.error, OverflowError, RecursionError) as error:
        fail(ValueError, f"Python can't read the pattern {_short(pattern)!r}: {error}",
             fix="look at the file's pattern")


def _short(pattern):
    return pattern if len(pattern) < 80 else pattern[:77] + "..."


def _check(tree):
    """Refuse what can take exponential time, or a high power of a text's length: inside of an endless repetition what
    may be cut in several ways, endless ones behind each other that take the same letters, references."""
    pending = [(tree, False)]
    while pending:
        sequence, repeated = pending.pop()
        taken = []          # of each endless repetition of this sequence, the sample letters that it takes
        for kind, value in sequence:
            if kind in _REPEATS:
                least, most, body = value
                endless = most is kinds.MAXREPEAT or most > 1000
                if repeated and least != most:
                    _refuse()
                if endless:
                    taken.append(_samples(body))
                pending.append((body, repeated or endless))
            elif kind is kinds.SUBPATTERN:
                pending.append((value[3], repeated))
            elif kind is kinds.BRANCH:
                if repeated:
                    _refuse()
                pending.extend((branch, repeated) for branch in value[1])
            elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
                pending.append((value[1], repeated))
            elif kind in (kinds.GROUPREF, kinds.GROUPREF_EXISTS):
                _refuse()
        for letter in _SAMPLES:
            if sum(letter in each for each in taken) > (2 if letter.isspace() else 1):
                _refuse()


def _samples(body):
    """Which sample letters a repetition's body may begin with; all, where that is not plain to see."""
    items = list(body)
    if len(items) == 1 and items[0][0] is kinds.IN:
        source = items[0][1]
        found = {letter for letter in _SAMPLES if any(_holds(each, ord(letter)) for each in source)}
        return set(_SAMPLES) - found if source and source[0][0] is kinds.NEGATE else found
    if len(items) == 1 and items[0][0] is kinds.LITERAL:
        return {chr(items[0][1])}
    return set(_SAMPLES)


def _holds(item, code):
    kind, value = item
    if kind is kinds.LITERAL:
        return value == code
    return value[0] <= code <= value[1] if kind is kinds.RANGE else kind is not kinds.NEGATE


def _refuse():
    fail(ValueError, "a pattern that can take very long is refused", fix="don't trust this file")
