"""torch.distributed.elastic: how a launcher and its processes talk about errors."""
