"""torch.distributed.algorithms: what several processes need; weft runs one."""
