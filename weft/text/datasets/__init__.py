"""torchtext.datasets: the standard sets, read from local files; nothing is downloaded."""
from weft.core.namespace import parts as _parts
from weft.text.datasets.labelled import (
    AG_NEWS as AG_NEWS,
)
from weft.text.datasets.labelled import (
    IMDB as IMDB,
)
from weft.text.datasets.labelled import (
    SST as SST,
)
from weft.text.datasets.labelled import (
    SST2 as SST2,
)
from weft.text.datasets.labelled import (
    AmazonReviewFull as AmazonReviewFull,
)
from weft.text.datasets.labelled import (
    AmazonReviewPolarity as AmazonReviewPolarity,
)
from weft.text.datasets.labelled import (
    DBpedia as DBpedia,
)
from weft.text.datasets.labelled import (
    SogouNews as SogouNews,
)
from weft.text.datasets.labelled import (
    YahooAnswers as YahooAnswers,
)
from weft.text.datasets.labelled import (
    YelpReviewFull as YelpReviewFull,
)
from weft.text.datasets.labelled import (
    YelpReviewPolarity as YelpReviewPolarity,
)
from weft.text.datasets.running import (
    UDPOS as UDPOS,
)
from weft.text.datasets.running import (
    CoNLL2000Chunking as CoNLL2000Chunking,
)
from weft.text.datasets.running import (
    Multi30k as Multi30k,
)
from weft.text.datasets.running import (
    PennTreebank as PennTreebank,
)
from weft.text.datasets.running import (
    WikiText2 as WikiText2,
)
from weft.text.datasets.running import (
    WikiText103 as WikiText103,
)
from weft.text.datasets.trees import Tree as Tree
from weft.text.datasets.trees import parse_tree as parse_tree

__all__ = ["AG_NEWS", "SogouNews", "DBpedia", "YelpReviewPolarity", "YelpReviewFull", "YahooAnswers",
           "AmazonReviewPolarity", "AmazonReviewFull", "IMDB", "SST", "SST2", "PennTreebank", "WikiText2",
           "WikiText103", "UDPOS", "CoNLL2000Chunking", "Multi30k", "Tree", "parse_tree"]
__getattr__, __dir__ = _parts(globals(), "labelled running trees")
