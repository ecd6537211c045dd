"""torch.nn: so far its parameters."""
from weft.nn.parameter import Buffer as Buffer, Parameter as Parameter
