"""torch.fx.experimental.proxy_tensor: to be asked whether it traces."""
from weft._absent import absent_functions as _functions

_functions("make_fx", globals(), "torch.fx.symbolic_trace records a program's graph")


def get_proxy_mode():
    """None: nothing is traced in this way."""
