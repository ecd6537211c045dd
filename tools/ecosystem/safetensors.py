"""safetensors: files of tensors."""
# pip install safetensors
import os

import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model


def files():
    """`save_file`, `load_file`, `safe_open` with slices, `save` and `load` of bytes, eight types"""
    types = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8,
             torch.bool]
    tensors = {str(t): (torch.randn(4, 6) * 3).abs().to(t) for t in types}
    save_file(tensors, "all.safetensors", metadata={"made": "by hand"})
    again = load_file("all.safetensors")
    with safe_open("all.safetensors", framework="pt") as file:
        part = file.get_slice("torch.float32")[1:3, ::1]
        names, metadata = sorted(file.keys()), file.metadata()
        one = file.get_tensor("torch.bfloat16")
    return again, part, one, names, metadata, load(save(tensors)), os.path.getsize("all.safetensors")


def models():
    """`save_model` and `load_model`, with weights that are tied"""
    def make():
        net = torch.nn.Sequential(torch.nn.Embedding(7, 4), torch.nn.Linear(4, 7, bias=False))
        net[1].weight = net[0].weight
        return net
    first, second = make(), make()
    save_model(first, "tied.safetensors")
    missing, unexpected = load_model(second, "tied.safetensors")
    return second(torch.arange(7)), first(torch.arange(7)), sorted(missing), sorted(unexpected)
