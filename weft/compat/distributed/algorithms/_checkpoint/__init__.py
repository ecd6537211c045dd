"""torch.distributed.algorithms._checkpoint: layers that forget what they computed until the backward."""
