"""torch.nn.utils: so far packed sequences."""
from weft.nn.utils import rnn as rnn
