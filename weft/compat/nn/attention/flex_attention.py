"""torch.nn.attention.flex_attention: attention whose scores a function changes, and masks that a function gives.

The functions get one score and the numbers of its batch, head, query and key; they run for all of them at once through
vmap. The attention itself is the plain formula on the whole matrix of scores, as PyTorch's is where it isn't compiled;
a BlockMask's blocks say which parts of it count, for those who ask, and save no work here.
"""
import inspect
import math
from enum import Enum
from typing import NamedTuple, TypedDict

import weft
from weft.core.errors import fail

__all__ = ["BlockMask", "flex_attention", "AuxOutput", "AuxRequest", "FlexKernelOptions", "create_block_mask",
           "create_mask", "or_masks", "and_masks", "noop_mask"]
_DEFAULT_SPARSE_BLOCK_SIZE = 128
_LARGE_SPARSE_BLOCK_SIZE = 1 << 30
_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = False


class FlexKernelOptions(TypedDict, total=False):
    """Options of PyTorch's compiled kernels; weft has none, so that they change nothing."""


class AuxRequest(NamedTuple):
    """What flex_attention is to give beside its result.

    >>> from weft.nn.attention.flex_attention import AuxRequest
    >>> AuxRequest(lse=True).max_scores
    False
    """
    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What it gave: each None unless it was asked for.

    >>> from weft.nn.attention.flex_attention import AuxOutput
    >>> AuxOutput().lse is None
    True
    """
    lse: weft.Tensor | None = None
    max_scores: weft.Tensor | None = None


class _ModificationType(Enum):
    """What kind of function it is: one that changes a score, or one that gives a mask."""
    SCORE_MOD = 1
    MASK_MOD = 2
    UNKNOWN = 3


def _get_mod_type(fn):
    names = [p for p in inspect.signature(fn).parameters.values() if p.default is p.empty and p.kind in (
        p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return {5: _ModificationType.SCORE_MOD, 4: _ModificationType.MASK_MOD}.get(len(names), _ModificationType.UNKNOWN)


def _over_all(function, first):
    """A function of one score's place as one of all places: vmaps over batch, head, query and key, from inside out."""
    for place in (3, 2, 1, 0):
        dims = [None] * 4
        dims[place] = 0
        function = weft.vmap(function, in_dims=(*[0] * first, *dims), out_dims=0)
    return function


def _places(*sizes):
    return [weft.arange(0, n) for n in sizes]


# masks

def noop_mask(batch, head, token_q, token_kv):
    """Everything counts.

    >>> import weft
    >>> weft.nn.attention.flex_attention.noop_mask(weft.tensor(0), 0, 0, 0)
    tensor(True)
    """
    return batch.new_ones(size=(), dtype=weft.bool)


def or_masks(*mask_mods):
    """What one of several masks lets through.

    >>> from weft.nn.attention.flex_attention import create_mask, or_masks
    >>> either = or_masks(lambda b, h, q, k: q >= k, lambda b, h, q, k: k == 2)
    >>> create_mask(either, 1, 1, 2, 3).int()[0, 0].tolist()
    [[1, 0, 1], [1, 1, 1]]
    """
    _need_callable(mask_mods)

    def or_mask(b, h, q_idx, kv_idx):
        result = b.new_zeros((), dtype=weft.bool)
        for mask in mask_mods:
            result = result | mask(b, h, q_idx, kv_idx)
        return result
    return or_mask


def and_masks(*mask_mods):
    """What all of several masks let through.

    >>> from weft.nn.attention.flex_attention import and_masks, create_mask
    >>> both = and_masks(lambda b, h, q, k: q >= k, lambda b, h, q, k: k > 0)
    >>> create_mask(both, 1, 1, 2, 3).int()[0, 0].tolist()
    [[0, 0, 0], [0, 1, 0]]
    """
    _need_callable(mask_mods)

    def and_mask(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=weft.bool)
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result
    return and_mask


def _need_callable(mask_mods):
    if not all(callable(mask) for mask in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    """The mask (B, H, Q_LEN, KV_LEN) that a function gives; of one that changes scores, what it makes of zeros.

    >>> from weft.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, k: q >= k, None, None, 2, 2)[0, 0].tolist()
    [[True, False], [True, True]]
    """
    kind = _get_mod_type(mod_fn)
    places = _places(1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    if kind is _ModificationType.UNKNOWN:
        raise AssertionError(f"a mask_mod takes (b, h, q_idx, kv_idx), a score_mod (score, b, h, q_idx, kv_idx), not "
                             f"{inspect.signature(mod_fn)}")
    if kind is _ModificationType.SCORE_MOD:
        zeros = weft.zeros([len(p) for p in places])
        found = _over_all(mod_fn, 1)(zeros, *places)
        return weft.where(weft.isneginf(found), False, True)
    return _over_all(mod_fn, 0)(*places)


def _pair(size):
    return (size, size) if isinstance(size, int) else tuple(size)


def _in_order(dense):
    """(how many blocks of each row count, all blocks with those first), from 0 and 1 for each block."""
    dense = dense.to(weft.int32)
    order = weft.argsort(dense, dim=-1, descending=True, stable=True)
    return dense.sum(-1).to(weft.int32).contiguous(), order.to(weft.int32).contiguous()


def _dense(count, order, columns):
    """The way back: 0 or 1 for each block."""
    places = weft.arange(order.shape[-1], dtype=weft.int32)
    counts = places < count.unsqueeze(-1)
    made = weft.zeros((*order.shape[:-1], columns + 1), dtype=weft.int32)
    where = weft.where(counts, order, columns).long()
    return made.scatter_(-1, where, 1)[..., :columns]


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE, _compile=False,
                      separate_full_blocks=True, compute_dq_write_order=False, dq_kv_order=True):
    """The BlockMask of a function: which blocks have something that counts, and in which everything does.

    >>> from weft.nn.attention.flex_attention import create_block_mask
    >>> create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 256, 256).to_dense()[0, 0].tolist()
    [[1, 0], [1, 1]]
    """
    if _get_mod_type(mask_mod) is not _ModificationType.MASK_MOD:
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    if compute_dq_write_order:
        fail(NotImplementedError, "create_block_mask: weft has no order of writes for the gradient of the queries, "
             "which serves GPU kernels only", "leave compute_dq_write_order out")
    q_block, kv_block = _pair(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN)
    rows, columns = -(-Q_LEN // q_block), -(-KV_LEN // kv_block)
    padded = weft.nn.functional.pad(mask, (0, columns * kv_block - KV_LEN, 0, rows * q_block - Q_LEN))
    blocks = padded.reshape(*mask.shape[:2], rows, q_block, columns, kv_block)
    some = blocks.any(-1).any(3)                       # (B, H, rows, columns)
    full = blocks.all(-1).all(3) if separate_full_blocks else None
    partial = some if full is None else some & ~full
    return BlockMask.from_kv_blocks(*_in_order(partial), *((None, None) if full is None else _in_order(full)),
                                    BLOCK_SIZE=(q_block, kv_block), mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN))


def _sliced_mask_mod_error(batch, head, token_q, token_kv):
    """In place of the function of a mask of which a part was taken: its numbers are no longer those of the places."""
    raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")


_TENSORS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
            "full_q_num_blocks", "full_q_indices")


class BlockMask:
    """A mask by blocks: for each row of blocks how many count (`kv_num_blocks`) and which (`kv_indices`, those first);
    the same for blocks in which everything counts (`full_...`), and by columns (`q_...`).

    >>> from weft.nn.attention.flex_attention import create_block_mask
    >>> create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 256, 256).shape
    (1, 1, 256, 256)
    """

    dq_write_order = dq_write_order_full = dq_kv_order = None

    def __init__(self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, q_num_blocks,
                 q_indices, full_q_num_blocks, full_q_indices, BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE,
                 mask_mod=noop_mask):
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        if (full_q_num_blocks is None) != (full_q_indices is None):
            raise AssertionError("full_q_num_blocks and full_q_indices must be both provided or omitted")
        self.seq_lengths = tuple(seq_lengths)
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE, self.mask_mod = _pair(BLOCK_SIZE), mask_mod

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None,
                       BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE, mask_mod=None, seq_lengths=None, compute_q_blocks=True):
        """A mask from what its rows of blocks have.

        >>> import weft
        >>> from weft.nn.attention.flex_attention import BlockMask
        >>> one = weft.ones(1, 1, 1, dtype=weft.int32)
        >>> BlockMask.from_kv_blocks(one, one.unsqueeze(-1) * 0).seq_lengths
        (128, 128)
        """
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        q_block, kv_block = _pair(BLOCK_SIZE)
        rows, columns = kv_indices.shape[-2:]
        by_column = full_by_column = (None, None)
        if compute_q_blocks:
            by_column = _in_order(_dense(kv_num_blocks, kv_indices, columns).transpose(-2, -1))
            if full_kv_indices is not None:
                full_by_column = _in_order(_dense(full_kv_num_blocks, full_kv_indices, columns).transpose(-2, -1))
        lengths = (rows * q_block, columns * kv_block) if seq_lengths is None else seq_lengths
        return cls(lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *by_column, *full_by_column,
                   (q_block, kv_block), noop_mask if mask_mod is None else mask_mod)

    def as_tuple(self, flatten=True):
        """Lengths, tensors, sizes of blocks and the function, in PyTorch's order.

        >>> from weft.nn.attention.flex_attention import create_block_mask, noop_mask
        >>> create_block_mask(noop_mask, 1, 1, 128, 128).as_tuple()[:2]
        (128, 128)
        """
        sizes, lengths = (self.BLOCK_SIZE, self.seq_lengths) if flatten else ((self.BLOCK_SIZE,), (self.seq_lengths,))
        return (*lengths, *[getattr(self, name) for name in _TENSORS], self.dq_write_order, self.dq_write_order_full,
                None, None, *sizes, self.mask_mod)

    @property
    def shape(self):
        """(batches, heads, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self):
        """How many scores there are.

        >>> from weft.nn.attention.flex_attention import create_block_mask, noop_mask
        >>> create_block_mask(noop_mask, 1, 2, 128, 128).numel()
        32768
        """
        return math.prod(self.shape)

    def sparsity(self):
        """The percentage of the scores that lie in blocks which don't count.

        >>> from weft.nn.attention.flex_attention import create_block_mask
        >>> create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 256, 256).sparsity()
        25.0
        """
        count = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            count = count + self.full_kv_num_blocks.sum()
        return 100 * (1 - count.item() * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self):
        """1 for each block that counts, (batches, heads, rows, columns).

        >>> from weft.nn.attention.flex_attention import create_block_mask, noop_mask
        >>> create_block_mask(noop_mask, 1, 1, 128, 256).to_dense().tolist()
        [[[[1, 1]]]]
        """
        columns = self.kv_indices.shape[-1]
        found = _dense(self.kv_num_blocks, self.kv_indices, columns)
        if self.full_kv_num_blocks is not None:
            found = found | _dense(self.full_kv_num_blocks, self.full_kv_indices, columns)
        return found

    def __getitem__(self, index):
        index = (*(index if isinstance(index, tuple) else (index,)), slice(None), slice(None), slice(None))[:3]
        sizes = self.kv_num_blocks.shape[:3]
        index = tuple(slice(i % n, i % n + 1) if isinstance(i, int) and -n <= i < n else i
                      for i, n in zip(index, sizes))
        full = self.full_kv_num_blocks is not None
        return BlockMask.from_kv_blocks(
            self.kv_num_blocks[index], self.kv_indices[index], self.full_kv_num_blocks[index] if full else None,
            self.full_kv_indices[index] if full else None, self.BLOCK_SIZE, _sliced_mask_mod_error, self.seq_lengths,
            self.q_indices is not None)

    def _adjust(self, new_q_len, new_kv_len):
        """The upper left corner, for shorter sequences."""
        rows, columns = -(-new_q_len // self.BLOCK_SIZE[0]), -(-new_kv_len // self.BLOCK_SIZE[1])

        def cut(count, order):
            whole = _dense(count, order, order.shape[-1])
            return _in_order(whole[..., :rows, :columns])
        full = (None, None) if self.full_kv_indices is None else cut(self.full_kv_num_blocks, self.full_kv_indices)
        return self.from_kv_blocks(*cut(self.kv_num_blocks, self.kv_indices), *full, self.BLOCK_SIZE, self.mask_mod,
                                   (new_q_len, new_kv_len), self.q_indices is not None)

    def to(self, device):
        """The same with its tensors on a device.

        >>> from weft.nn.attention.flex_attention import create_block_mask, noop_mask
        >>> create_block_mask(noop_mask, 1, 1, 128, 128).to("cpu").shape
        (1, 1, 128, 128)
        """
        tensors = [None if getattr(self, n) is None else getattr(self, n).to(device) for n in _TENSORS]
        return BlockMask(self.seq_lengths, *tensors, self.BLOCK_SIZE, self.mask_mod)

    def to_string(self, grid_size=(20, 20), limit=4):
        """A picture of the blocks: full where all of a part counts, lighter where some does.

        >>> from weft.nn.attention.flex_attention import create_block_mask
        >>> create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 256, 256).to_string()
        '(0, 0)\\n██  \\n████\\n'
        """
        dense = self.to_dense()
        *lead, rows, columns = dense.shape
        height, width = (rows, columns) if grid_size == -1 else _pair(grid_size)
        down, across = -(-rows // min(height, rows)), -(-columns // min(width, columns))
        shown = []
        for number in range(min(math.prod(lead), limit)):
            place, rest = [], number
            for n in reversed(lead):
                place.insert(0, rest % n)
                rest //= n
            part = dense[tuple(place)].tolist()
            lines = [str(tuple(place))]
            for i in range(0, rows, down):
                lines.append("".join(_shade([part[a][b] for a in range(i, min(i + down, rows))
                                             for b in range(j, min(j + across, columns))])
                                     for j in range(0, columns, across)))
            shown.append("\n".join(lines) + "\n")
        if math.prod(lead) > limit:
            shown.append("...\nTo print out more, set BlockMask.to_string(limit=N)\n"
                         "You can also index (BlockMask[batch, head]) to choose a specific batch or head")
        return "\n".join(shown)

    def __str__(self):
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"

    def __repr__(self):
        shapes = [f"    {n}={None if getattr(self, n) is None else getattr(self, n).shape}" for n in _TENSORS]
        name = getattr(self.mask_mod, "__name__", self.mask_mod)
        rest = [f"    BLOCK_SIZE={self.BLOCK_SIZE}", f"    shape={self.shape}", f"    sparsity={self.sparsity():.2f}%",
                f"    mask_mod={name}"]
        return "BlockMask(\n" + ",\n".join(shapes + rest) + "\n)"


def _shade(values):
    share = sum(values) / len(values)
    return "██" if share == 1 else "  " if share == 0 else "░░"


# attention

def _need_fitting(query, key, value, block_mask, enable_gqa):
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"Expect query and key/value to have the same embedding dimension but got "
                         f"E={query.shape[-1]} and E={key.shape[-1]}.")
    if query.dtype != key.dtype or query.dtype != value.dtype:
        raise ValueError(f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype}, "
                         f"key.dtype: {key.dtype}, and value.dtype: {value.dtype} instead.")
    heads, kv_heads = query.shape[1], key.shape[1]
    if not enable_gqa and heads != kv_heads:
        raise ValueError(f"Expect query and key/value to have the same number of heads but got Hq={heads} and "
                         f"Hkv={kv_heads}. Try setting enable_gqa=True for GQA.")
    if enable_gqa and heads % kv_heads:
        raise ValueError(f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and "
                         f"Hkv={kv_heads}.")
    if query.shape[0] != key.shape[0]:
        if block_mask is None:
            raise ValueError(f"Expect query and key/value to have the same batch size, or non-none block_mask, but got "
                             f"block_mask=None, Bq={query.shape[0]}, and Bkv={key.shape[0]}.")
        if block_mask.kv_num_blocks.shape[0] != query.shape[0]:
            raise ValueError(f"Expect query and key/value to have the same batch size, or block_mask and query to have "
                             f"the same batch size, but got Bq={query.shape[0]}, Bkv={key.shape[0]}, "
                             f"B_block_mask={block_mask.kv_num_blocks.shape[0]}.")
    if block_mask is None:
        return
    if block_mask.mask_mod is _sliced_mask_mod_error:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    if block_mask.BLOCK_SIZE != (_LARGE_SPARSE_BLOCK_SIZE, _LARGE_SPARSE_BLOCK_SIZE):
        given, made = (query.shape[-2], key.shape[-2]), block_mask.shape[-2:]
        if given != made:
            longer = given[0] > made[0] or given[1] > made[1]
            advice = "create a new block mask" if longer else \
                "create a new one, or crop it to its upper left corner with block_mask._adjust(q_len, kv_len)"
            raise ValueError(f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={given[0]} "
                             f"and kv_len={given[1]}: it is for a {'smaller' if longer else 'larger'} length, {advice}")


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None):
    """softmax(score_mod(q k^T * scale)) v, where block_mask says which scores count; (B, H, L, E) like the queries.

    score_mod(score, b, h, q_idx, kv_idx) gives the changed score. With `return_lse`, or AuxRequest(lse=True), the
    logarithm of each row's sum of exponentials comes beside the result. Gradients go through all of it.

    >>> import weft
    >>> from weft.nn.attention.flex_attention import flex_attention
    >>> q = weft.ones(1, 1, 2, 4)
    >>> flex_attention(q, q, q, score_mod=lambda s, b, h, q, k: s + (q - k)).shape
    torch.Size([1, 1, 2, 4])
    """
    _need_fitting(query, key, value, block_mask, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError("return_lse and return_aux can't be given together: use return_aux=AuxRequest(lse=True)")
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    if key.shape[1] != query.shape[1]:
        groups = query.shape[1] // key.shape[1]
        key, value = (weft.repeat_interleave(t, groups, dim=1) for t in (key, value))
    scores = (query @ key.transpose(-2, -1)) * scale           # (B, H, L, S)
    if scores.dtype not in (weft.float32, weft.float64):
        scores = scores.float()
    places = _places(*scores.shape)
    if score_mod is not None:
        changed = _over_all(score_mod, 1)(scores, *places)
        scores = changed.to(scores.dtype)
    if block_mask is not None:
        batches, heads = min(len(places[0]), block_mask.shape[0]), min(len(places[1]), block_mask.shape[1])
        mask = _over_all(block_mask.mask_mod, 0)(places[0][:batches], places[1][:heads], *places[2:])
        scores = scores.masked_fill(~mask, -math.inf)
    lse = scores.logsumexp(-1)
    weights = (scores - lse.detach().masked_fill(lse == -math.inf, 0).unsqueeze(-1))
    weights = weft.softmax(weights, -1).masked_fill((lse == -math.inf).unsqueeze(-1), 0)
    result = weights.to(query.dtype) @ value
    if return_aux is not None:
        most = scores.amax(-1) if return_aux.max_scores else None
        return result, AuxOutput(lse if return_aux.lse else None, most)
    return (result, lse) if return_lse else result


def create_nested_block_mask(*args, **kwargs):
    """NotImplementedError: weft has no nested tensors."""
    fail(NotImplementedError, "weft has no nested tensors, so that there are no block masks for them",
         "pad the sequences, and mask the padding")
