"""Examples with their fields; tables, and how a dataset is split."""
import json
import os
from collections import defaultdict

from weft.core.errors import fail
from weft.text.data.example import Example
from weft.text.data.utils import RandomShuffler, table_rows
from weft.utils.data import Dataset as _Dataset

__all__ = ["Dataset", "TabularDataset"]


class Dataset(_Dataset):
    """A list of examples and the fields that they have; `dataset.text` goes through one column.

    >>> from weft.text.data import Dataset, Example, Field
    >>> fields = [("text", Field())]
    >>> data = Dataset([Example.fromlist([line], fields) for line in ("a b", "c")], fields)
    >>> len(data), list(data.text)
    (2, [['a', 'b'], ['c']])
    """

    sort_key = None

    def __init__(self, examples, fields, filter_pred=None):
        if filter_pred is not None:
            examples = [example for example in examples if filter_pred(example)]
        self.examples, self.fields = list(examples), {}
        for name, field in dict(fields).items():
            pairs = zip(name, field, strict=True) if isinstance(name, tuple) else [(name, field)]
            self.fields.update(pairs)

    def __getitem__(self, i):
        return self.examples[i]

    def __len__(self):
        return len(self.examples)

    def __iter__(self):
        return iter(self.examples)

    def __getattr__(self, name):
        if name in self.__dict__.get("fields", ()):
            return (getattr(example, name) for example in self.examples)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @classmethod
    def splits(cls, path=None, root=".data", train=None, validation=None, test=None, **kwargs):
        """A dataset for each file that is named, in the folder `path` (or `root`/`cls.name`).

        >>> import os, tempfile
        >>> from weft.text.data import Field, TabularDataset
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("a.tsv", "b.tsv"):
        ...         _ = open(os.path.join(folder, name), "w").write("x y\\n")
        ...     both = TabularDataset.splits(folder, train="a.tsv", test="b.tsv", format="tsv", fields=[("t", Field())])
        >>> [len(data) for data in both]
        [1, 1]
        """
        folder = cls.download(root) if path is None else path
        names = (name for name in (train, validation, test) if name is not None)
        return tuple(cls(os.path.join(folder, name), **kwargs) for name in names)

    @classmethod
    def download(cls, root, check=None):
        """The folder `root`/`cls.name`, which must be there: nothing is downloaded.

        >>> from weft.text.data import Dataset
        >>> Dataset.download(".")
        './'
        """
        folder = os.path.join(root, getattr(cls, "name", ""), getattr(cls, "dirname", ""))
        if not os.path.isdir(folder):
            fail(FileNotFoundError, f"the files of {cls.__name__} are not in {folder}",
                 fix="weft downloads nothing; put them there, or give path=")
        return folder

    def split(self, split_ratio=0.7, stratified=False, strata_field="label", random_state=None):
        """Two datasets, train and test, by the first one's share; or three, train, validation and test, by [train,
        test, validation] shares. `stratified` keeps the shares of each value of `strata_field`.

        >>> from weft.text.data import Dataset, Example, RawField
        >>> fields = [("n", RawField())]
        >>> data = Dataset([Example.fromlist([n], fields) for n in range(10)], fields)
        >>> [len(part) for part in data.split([0.5, 0.3, 0.2])]
        [5, 2, 3]
        """
        shares = _shares(split_ratio)
        shuffle = RandomShuffler(random_state)
        groups = [self.examples]
        if stratified:
            if strata_field not in self.fields:
                fail(ValueError, f"Invalid field name for strata_field {strata_field}",
                     fix="one of " + ", ".join(map(repr, self.fields)))
            strata = defaultdict(list)
            for example in self.examples:
                strata[getattr(example, strata_field)].append(example)
            groups = strata.values()
        train, test, validation = [], [], []
        for group in groups:
            order = shuffle(range(len(group)))
            first = round(shares[0] * len(group))
            second = len(group) if not shares[2] else first + round(shares[1] * len(group))
            for part, chosen in ((train, order[:first]), (test, order[first:second]), (validation, order[second:])):
                part.extend(group[i] for i in chosen)
        made = tuple(Dataset(part, self.fields) for part in (train, validation, test) if part)
        for part in made:
            part.sort_key = self.sort_key
        return made

    def filter_examples(self, field_names):
        """Leave out the tokens that the vocabulary of these fields doesn't have.

        >>> from weft.text.data import Dataset, Example, Field
        >>> text = Field()
        >>> data = Dataset([Example.fromlist(["a b a"], [("text", text)])], [("text", text)])
        >>> text.build_vocab(data, max_size=1)
        >>> data.filter_examples(["text"])
        >>> data[0].text
        ['a', 'a']
        """
        for example in self.examples:
            for name in field_names:
                known = self.fields[name].vocab.stoi
                tokens = getattr(example, name)
                setattr(example, name, [part for part in tokens if part in known])


class TabularDataset(Dataset):
    """A file of rows, format "csv", "tsv" or "json" (an object to a line). `fields` is a list of (name, field) for all
    columns, or {column: (name, field)} for chosen ones, by the header of a table or the names of JSON.

    >>> import os, tempfile
    >>> from weft.text.data import Field, LabelField, TabularDataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "reviews.csv")
    ...     _ = open(path, "w").write("label,text\\npos,a good film\\n")
    ...     data = TabularDataset(path, "csv", {"text": ("words", Field())})
    >>> data[0].words
    ['a', 'good', 'film']
    """

    def __init__(self, path, format, fields, skip_header=False, csv_reader_params=None, **kwargs):
        kind = format.lower()
        if kind not in ("csv", "tsv", "json"):
            fail(ValueError, f"there is no format '{format}'", fix="csv, tsv or json")
        with open(os.path.expanduser(path), encoding="utf8", newline="" if kind != "json" else None) as file:
            examples = self._of_json(file, fields, skip_header) if kind == "json" else \
                self._of_table(file, kind, fields, skip_header, csv_reader_params or {})
        if isinstance(fields, dict):
            fields = [pair for pairs in fields.values() if pairs for pair in
                      ([pairs] if isinstance(pairs, tuple) else pairs)]
        super().__init__(examples, fields, **kwargs)

    @staticmethod
    def _of_json(file, fields, skip_header):
        if skip_header:
            fail(ValueError, "a file of JSON lines has no header", fix="leave skip_header out")
        if not isinstance(fields, dict):
            fail(ValueError, "for JSON, fields maps the names in the file to (name, field)", fix="give a dict")
        made = []
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    made.append(Example.fromJSON(line, fields))
                except json.JSONDecodeError as error:
                    fail(ValueError, f"line {number} of {file.name} is no JSON: {error}",
                         fix="an object {...} to a line")
        return made

    @staticmethod
    def _of_table(file, kind, fields, skip_header, options):
        rows = table_rows(file, **{**({"delimiter": "\t"} if kind == "tsv" else {}), **options})
        if isinstance(fields, dict):
            if skip_header:
                fail(ValueError, f"with a dict of fields the header of a {kind} file is needed to find the columns",
                     fix="leave skip_header out, or give a list of fields")
            header = next(rows, [])
            missing = [column for column in fields if column not in header]
            if missing:
                fail(ValueError, f"the file has no column {missing[0]!r}", fix=f"its header is {header}")
            index = {column: header.index(column) for column in fields}
            return [Example.fromCSV(row, fields, index) for row in rows if row]
        if skip_header:
            next(rows, None)
        return [Example.fromCSV(row, fields) for row in rows if row]


def _shares(ratio):
    """(train, test, validation), which sum to 1."""
    if isinstance(ratio, float):
        if not 0 < ratio < 1:
            fail(ValueError, f"Split ratio {ratio} not between 0 and 1", fix="such as 0.7")
        return ratio, 1 - ratio, 0.0
    if not isinstance(ratio, (list, tuple)) or len(ratio) not in (2, 3) or min(ratio) < 0 or sum(ratio) <= 0:
        fail(ValueError, f"split_ratio is a share of the training data or a list of two or three shares, not {ratio!r}",
             fix="such as 0.7 or [0.7, 0.2, 0.1]")
    shares = [part / sum(ratio) for part in ratio]
    return (*shares, 0.0)[:3]
