"""The figures of benchmarks/results.json in the pages that show them: between <!-- figures: NAME --> and
<!-- /figures -->.

    python tools/figures.py            writes them (`make bench` does, after a whole run)
    python tools/figures.py --check    says which pages show others

NAME is `short` (README's rows), `short zh` (the same in Chinese), `all` (every row, by groups), `missed` (rows where
PyTorch is faster), `about` (the machine, the versions, the date), or `packages` (docs/compatibility.md's count).
"""
import functools
import importlib.util
import json
import pathlib
import re
import sys

HOME = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "README.zh-CN.md", "docs/performance.md"]
REGION = re.compile(r"(<!-- figures: ([\w ]+) -->\n)(.*?)(<!-- /figures -->)", re.S)
# README's rows, the slower ones among them, and their names in Chinese
SHORT = {
    "x + y, with gradient": "x + y（8×8，记录梯度）",
    "21 small ops, fwd+bwd": "21 个小算子，前向加反向",
    "MLP 4-64-64-2, batch 32, Adam step": "MLP 4-64-64-2，批大小 32，一步 Adam",
    "BiLSTM tagger, 4 sentences one at a time": "BiLSTM 序列标注，逐句训练 4 句",
    "TreeLSTM, 2 trees one at a time": "TreeLSTM，逐棵训练 2 棵树",
    "MNIST CNN, batch 64, training step": "MNIST 卷积网络，批大小 64，训练一步",
    "ResNet-18 on 32x32, batch 32, training step": "ResNet-18（32×32），批大小 32，训练一步",
    "GPT 4 layers of 128, batch 12, length 64, training step": "GPT 4 层 128 维，训练一步",
    "GPT 6 layers of 384, batch 16, length 256, training step": "GPT 6 层 384 维，训练一步",
    "attention (16,6,256,64) causal, fwd+bwd": "因果注意力 (16,6,256,64)，前向加反向",
    "lstm 2 layers, length 35, batch 20, 200, fwd+bwd": "LSTM 两层，前向加反向",
    "conv2d depthwise 3x3 (32,128,28,28)->128, fwd+bwd": "深度可分离卷积 3×3，前向加反向",
    "matmul 1024": "矩阵乘法 1024",
    "add, 4 M floats": "加法，400 万个浮点数",
    "GPT 6 layers of 384, batch 16, length 256, training step, peak memory": "GPT 6 层 384 维，内存峰值",
    "import": "import",
    "installed size, with what is needed": "安装后大小（含依赖）",
}
GROUPS = {"8x8": "Single operations on 8x8 tensors", "models": "Small and dynamic models, eager",
          "training": "Training steps", "data": "Loading data", "matmul": "Products", "elementwise": "Elementwise",
          "layers": "Layers", "conv": "Convolutions", "attention, rnn": "Attention and recurrent layers",
          "sort, index": "Sorting and indexing", "memory": "Peak memory", "package": "The package",
          "capture": "Captured steps", "packages": "Other people's models"}


@functools.cache
def table():
    """benchmarks/table.py, by its place."""
    spec = importlib.util.spec_from_file_location("table", HOME / "benchmarks" / "table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown(value, unit):
    """A time or a size, as `make bench` prints it."""
    return table().in_unit(value, unit)


def most_threads(results):
    most = max(row["threads"] for row in results["rows"])
    return [row for row in results["rows"] if row["threads"] == most and row.get("ratio") is not None]


def line(row, name=None):
    return (f"| {name or row['name']} | {shown(row['weft'], row['unit'])} | {shown(row['torch'], row['unit'])} "
            f"| {row['ratio']:.2f} |")


def short(results, head="| | weft | PyTorch | ratio |", chinese=False):
    rows = {row["name"]: row for row in most_threads(results)}
    lost = [name for name in SHORT if name not in rows]
    if lost:
        raise SystemExit(f"benchmarks/results.json has no row {', '.join(lost)}\n  fix: change SHORT in {__file__}")
    return "\n".join([head, "| --- | --- | --- | --- |",
                      *(line(rows[name], other if chinese else None) for name, other in SHORT.items())])


def every(results):
    """A table for each group; the ratio with 1 thread beside it where it was measured."""
    single = {row["name"]: row for row in results["rows"] if row["threads"] == 1}
    made, group = [], None
    for row in most_threads(results):
        if row.get("group") != group:
            group = row.get("group")
            made += ["", f"### {GROUPS.get(group, group)}", "", "| | weft | PyTorch | ratio | ratio, 1 thread |",
                     "| --- | --- | --- | --- | --- |"]
        alone = single.get(row["name"], {}).get("ratio")
        made.append(f"{line(row)} {f'{alone:.2f}' if alone is not None else ''} |")
    return "\n".join(made).strip()


def missed(results):
    rows = sorted((row for row in most_threads(results) if row["ratio"] > 1), key=lambda row: -row["ratio"])
    return "\n".join([f"Of {len(most_threads(results))} rows PyTorch is ahead in {len(rows)}:", "",
                      "| | weft | PyTorch | ratio |", "| --- | --- | --- | --- |", *map(line, rows)])


def about(results):
    machine, versions = results["machine"], results["versions"]
    return (f"Measured on {results['date'][:10]} on {machine['cores']} cores of an {machine['processor']} "
            f"({results['kernels']} kernels), weft {versions['weft']} and PyTorch {versions['torch']} by turns in one "
            f"run with {max(row['threads'] for row in results['rows'])} threads each, the best of several.")


def packages():
    """(agreeing, all, packages) of docs/compatibility.md."""
    text = (HOME / "docs" / "compatibility.md").read_text(encoding="utf-8")
    return re.search(r"(\d+) of the (\d+) cases that run on PyTorch agree, of (\d+) packages", text).groups()


def packages_in_english(results):
    agree, cases, count = packages()
    return (f"Of {count} packages that import torch (transformers, timm, lightning, diffusers, pyro, ...), unpatched,\n"
            f"{agree} of the {cases} cases that run on PyTorch agree with it: [what was tried](docs/compatibility.md).")


def packages_in_chinese(results):
    agree, cases, count = packages()
    return (f"{count} 个依赖 torch 的包（transformers、timm、lightning、diffusers、pyro 等）不打补丁直接运行：\n"
            f"在 PyTorch 上能跑的 {cases} 个用例中有 {agree} 个结果一致，见[逐项清单](docs/compatibility.md)。")


MAKE = {"short": short, "all": every, "missed": missed, "about": about,
        "packages": packages_in_english, "packages zh": packages_in_chinese,
        "short zh": lambda results: short(results, "| | weft | PyTorch | 时间比 |", chinese=True)}


def filled(text, results):
    return REGION.sub(lambda found: found[1] + MAKE[found[2]](results) + "\n" + found[4], text)


def main():
    results = json.loads((HOME / "benchmarks" / "results.json").read_text())
    stale = []
    for page in PAGES:
        path = HOME / page
        text = path.read_text(encoding="utf-8")
        if filled(text, results) != text:
            stale.append(page)
            if "--check" not in sys.argv[1:]:
                path.write_text(filled(text, results), encoding="utf-8")
    print(f"written: {', '.join(stale)}" if stale else "the pages show the figures of benchmarks/results.json")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
