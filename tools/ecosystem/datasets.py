"""datasets: tables on disk, as tensors."""
# pip install datasets
import torch
from datasets import Dataset


def tensors():
    """rows as tensors, through map, filter and a DataLoader"""
    torch.manual_seed(0)
    table = Dataset.from_dict({"x": [[float(i), float(i * i)] for i in range(20)], "y": list(range(20))})
    table = table.map(lambda row: {"z": [v / 2 for v in row["x"]]}).filter(lambda row: row["y"] % 3 != 0)
    table = table.with_format("torch")
    seen = list(torch.utils.data.DataLoader(table, batch_size=4))
    return seen, table[3], table[:5]["x"], str(type(table[0]["x"]))
