"""torch.nn.attention.flex_attention: weft doesn't have it yet; packages import its names to compare with."""
from weft._absent import absent_classes, absent_functions

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_FIX = "use scaled_dot_product_attention with a mask (in transformers: attn_implementation=\"sdpa\")"
absent_classes("AuxOutput AuxRequest BlockMask FlexKernelOptions", globals(), _FIX)
absent_functions("create_block_mask create_mask create_nested_block_mask flex_attention and_masks or_masks noop_mask",
                 globals(), _FIX)
