"""torchtext.utils: archives that can't write outside of their folder, and downloads, of which there are none."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Path

def extract_archive(from_path: Any, to_path: Any = None, overwrite: bool = False) -> Any: ...
def download_from_url(url: Any, path: Path | None = None, root: str = '.data', overwrite: bool = False, hash_value: Any = None, hash_type: str = 'sha256') -> Any: ...
