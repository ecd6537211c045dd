"""torchtext's names: data (the classic API and the newer helpers), vocab, transforms, functional, datasets, legacy; and
`tokenizers`, which reads GPT-2's and Hugging Face's tokenizer files. Each is imported when first used."""
from weft.core.namespace import parts as _parts

__version__ = "0.18.0+weft"         # the last torchtext there was
__getattr__, __dir__ = _parts(globals(), "data datasets functional legacy tokenizers transforms utils vocab", {
    "disable_torchtext_deprecation_warning": "weft.text.utils"})
