"""How PyTorch exports its ops: nothing is exported here."""
from weft._absent import absent_functions

absent_functions("add select squeeze unsqueeze", globals())
