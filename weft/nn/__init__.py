"""torch.nn: so far its parameters."""
from weft.nn.parameter import Buffer as Buffer
from weft.nn.parameter import Parameter as Parameter
