"""One example: what its fields made of a row."""
import json

from weft.core.errors import fail

__all__ = ["Example"]


class Example:
    """A row of a dataset; each field's result is an attribute.

    >>> from weft.text.data import Example, Field, LabelField
    >>> example = Example.fromlist(["a good film", "pos"], [("text", Field()), ("label", LabelField())])
    >>> example.text, example.label
    (['a', 'good', 'film'], 'pos')
    """

    @classmethod
    def fromlist(cls, data, fields):
        """Of values in the order of `fields`, which are (name, field) pairs; a field that is None leaves its value
        out, a pair of names and fields makes several attributes of one value.

        >>> from weft.text.data import Example, Field
        >>> Example.fromlist(["a b", "c"], [("x", Field()), (None, None)]).x
        ['a', 'b']
        """
        made = cls()
        for (name, field), value in zip(fields, data):
            if field is not None:
                made._put(name, field, value.rstrip("\n") if isinstance(value, str) else value)
        return made

    @classmethod
    def fromdict(cls, data, fields):
        """Of a dict; `fields` maps its keys to (name, field), or to a list of them. A key 'a.b' looks inside.

        >>> from weft.text.data import Example, Field
        >>> Example.fromdict({"review": {"text": "a b"}}, {"review.text": ("x", Field())}).x
        ['a', 'b']
        """
        made = cls()
        for key, targets in fields.items():
            value = _look_up(data, key)
            for name, field in [targets] if isinstance(targets, tuple) else targets or ():
                if field is not None:
                    made._put(name, field, value)
        return made

    @classmethod
    def fromJSON(cls, data, fields):
        """Of a line of JSON; fields as in fromdict.

        >>> from weft.text.data import Example, Field
        >>> Example.fromJSON('{"x": "a b"}', {"x": ("x", Field())}).x
        ['a', 'b']
        """
        row = json.loads(data)
        if not isinstance(row, dict):
            fail(ValueError, f"a line of JSON holds a {type(row).__name__}, not an object with names",
                 fix="one object {...} to a line")
        return cls.fromdict(row, fields)

    @classmethod
    def fromCSV(cls, data, fields, field_to_index=None):
        """Of a row of a table; with `field_to_index`, {column: number}, fields as in fromdict.

        >>> from weft.text.data import Example, Field
        >>> Example.fromCSV(["1", "a b"], {"text": ("x", Field())}, {"id": 0, "text": 1}).x
        ['a', 'b']
        """
        if field_to_index is None:
            return cls.fromlist(data, fields)
        short = [column for column in fields if field_to_index.get(column, -1) >= len(data)]
        if short:
            fail(ValueError, f"a row has {len(data)} columns, none for {short[0]!r}", fix="look at the file's rows")
        row = {column: data[index] for column, index in field_to_index.items() if index < len(data)}
        return cls.fromdict(row, fields)

    @classmethod
    def fromtree(cls, data, fields, subtrees=False):
        """Of a tree in brackets, '(3 (2 It) (4 works))': the words and the root's label; with subtrees a list, of all.

        >>> from weft.text.data import Example, Field, LabelField
        >>> fields = [("text", Field()), ("label", LabelField())]
        >>> tree = Example.fromtree("(3 (2 It) (4 works))", fields)
        >>> tree.text, tree.label, len(Example.fromtree("(3 (2 It) (4 works))", fields, subtrees=True))
        (['It', 'works'], '3', 3)
        """
        from weft.text.datasets.trees import labelled_spans
        spans = [(" ".join(words), label) for label, words in labelled_spans(data)]
        made = [cls.fromlist(span, fields) for span in (spans if subtrees else spans[:1])]
        return made if subtrees else made[0]

    def _put(self, name, field, value):
        if isinstance(name, tuple):
            for each, how in zip(name, field, strict=True):
                setattr(self, each, how.preprocess(value))
        else:
            setattr(self, name, field.preprocess(value))


def _look_up(data, key):
    """data[key], or data['a']['b'] for 'a.b'; a list inside gives a list."""
    if isinstance(data, dict) and key in data:
        return data[key]
    for part in key.split("."):
        if isinstance(data, list):
            data = [_look_up(each, part) for each in data]
        elif isinstance(data, dict) and part in data:
            data = data[part]
        else:
            fail(ValueError, f"Specified key {key} was not found in the input data",
                 fix="its keys are " + ", ".join(map(str, data)) if isinstance(data, dict) else None)
    return data
