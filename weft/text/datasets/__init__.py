"""torchtext.datasets: the standard sets, read from local files; nothing is downloaded."""
from weft.core.namespace import parts as _parts
from weft.text.datasets.labelled import (
    AG_NEWS as AG_NEWS,
    IMDB as IMDB,
    SST as SST,
    SST2 as SST2,
    AmazonReviewFull as AmazonReviewFull,
    AmazonReviewPolarity as AmazonReviewPolarity,
    DBpedia as DBpedia,
    SogouNews as SogouNews,
    YahooAnswers as YahooAnswers,
    YelpReviewFull as YelpReviewFull,
    YelpReviewPolarity as YelpReviewPolarity,
)
from weft.text.datasets.running import (
    UDPOS as UDPOS,
    CoNLL2000Chunking as CoNLL2000Chunking,
    Multi30k as Multi30k,
    PennTreebank as PennTreebank,
    WikiText2 as WikiText2,
    WikiText103 as WikiText103,
)
from weft.text.datasets.trees import Tree as Tree, parse_tree as parse_tree

__all__ = ["AG_NEWS", "SogouNews", "DBpedia", "YelpReviewPolarity", "YelpReviewFull", "YahooAnswers",
           "AmazonReviewPolarity", "AmazonReviewFull", "IMDB", "SST", "SST2", "PennTreebank", "WikiText2", "WikiText103",
           "UDPOS", "CoNLL2000Chunking", "Multi30k", "Tree", "parse_tree"]
__getattr__, __dir__ = _parts(globals(), "labelled running trees")
