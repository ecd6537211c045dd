"""Sets of texts with a class: tables of AG_NEWS's form, IMDB's folders, sentiment trees, SST-2."""
import csv
import os

from weft.text.data.utils import table_rows
from weft.text.datasets._files import CACHE, find, lines, raw_lines, splits
from weft.text.datasets.trees import labelled_spans

__all__ = ["AG_NEWS", "SogouNews", "DBpedia", "YelpReviewPolarity", "YelpReviewFull", "YahooAnswers",
           "AmazonReviewPolarity", "AmazonReviewFull", "IMDB", "SST", "SST2"]
_FOLDERS = {"AG_NEWS": "ag_news_csv", "SogouNews": "sogou_news_csv", "DBpedia": "dbpedia_csv",
            "YelpReviewPolarity": "yelp_review_polarity_csv", "YelpReviewFull": "yelp_review_full_csv",
            "YahooAnswers": "yahoo_answers_csv", "AmazonReviewPolarity": "amazon_review_polarity_csv",
            "AmazonReviewFull": "amazon_review_full_csv"}


def _table(name):
    """A set whose rows are a class, from 1, and texts, in train.csv and test.csv."""
    def read_set(root=CACHE, split=("train", "test")):
        def rows(which):
            path = find(root, name, [f"{which}.csv", f"{_FOLDERS[name]}/{which}.csv"])
            for row in table_rows(raw_lines(path)):
                if row:
                    yield int(row[0]), " ".join(row[1:])
        return splits(name, split, ("train", "test"), rows)

    read_set.__name__ = read_set.__qualname__ = name
    read_set.__doc__ = f"""{name}: (class, text) of train.csv or test.csv in `root`, as the files of that set have them.

    >>> import weft
    >>> _ = open("train.csv", "w").write('"3","A title","A text"\\n')
    >>> list(weft.text.datasets.{name}(".", split="train"))
    [(3, 'A title A text')]
    """
    return read_set


AG_NEWS, SogouNews, DBpedia = map(_table, ("AG_NEWS", "SogouNews", "DBpedia"))
YelpReviewPolarity, YelpReviewFull = map(_table, ("YelpReviewPolarity", "YelpReviewFull"))
YahooAnswers = _table("YahooAnswers")
AmazonReviewPolarity, AmazonReviewFull = map(_table, ("AmazonReviewPolarity", "AmazonReviewFull"))


def IMDB(root=CACHE, split=("train", "test")):
    """Film reviews: (1, text) for bad and (2, text) for good ones, a file each in aclImdb/<split>/neg and pos.

    >>> import os, weft
    >>> os.makedirs("aclImdb/train/neg"), os.makedirs("aclImdb/train/pos")
    (None, None)
    >>> _ = open("aclImdb/train/pos/0_9.txt", "w").write("Lovely.")
    >>> list(weft.text.datasets.IMDB(".", split="train"))
    [(2, 'Lovely.')]
    """
    def rows(which):
        folder = find(root, "IMDB", [f"aclImdb/{which}", which])
        for label, name in ((1, "neg"), (2, "pos")):
            for file in sorted(os.listdir(os.path.join(folder, name))):
                if file.endswith(".txt"):
                    with open(os.path.join(folder, name, file), encoding="utf8") as text:
                        yield label, text.read()
    return splits("IMDB", split, ("train", "test"), rows)


def SST(root=CACHE, split=("train", "dev", "test"), subtrees=False):
    """The sentiment treebank: (label 0 to 4, text) of the trees in train.txt, dev.txt and test.txt; with subtrees of
    all their nodes.

    >>> import weft
    >>> _ = open("dev.txt", "w").write("(3 (2 It) (4 works))\\n")
    >>> list(weft.text.datasets.SST(".", split="dev"))
    [(3, 'It works')]
    """
    def rows(which):
        for line in lines(find(root, "SST", [f"{which}.txt", f"trees/{which}.txt"])):
            if line.strip():
                spans = labelled_spans(line)
                yield from ((int(label), " ".join(words)) for label, words in (spans if subtrees else spans[:1]))
    return splits("SST", split, ("train", "dev", "test"), rows)


def SST2(root=CACHE, split=("train", "dev", "test")):
    """SST-2 of GLUE: (text, 0 or 1) of train.tsv and dev.tsv, (text,) of test.tsv.

    >>> import weft
    >>> _ = open("dev.tsv", "w").write("sentence\\tlabel\\nit works\\t1\\n")
    >>> list(weft.text.datasets.SST2(".", split="dev"))
    [('it works', 1)]
    """
    def rows(which):
        table = table_rows(lines(find(root, "SST2", [f"{which}.tsv", f"SST-2/{which}.tsv"])), delimiter="\t",
                           quoting=csv.QUOTE_NONE)
        next(table, None)
        for row in table:
            yield (row[1].strip(),) if which == "test" else (row[0].strip(), int(row[1]))
    return splits("SST2", split, ("train", "dev", "test"), rows)
