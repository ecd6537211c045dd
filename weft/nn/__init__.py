"""torch.nn: so far its parameters and the functions of its layers."""
from weft.nn import functional as functional
from weft.nn.parameter import Buffer as Buffer
from weft.nn.parameter import Parameter as Parameter
