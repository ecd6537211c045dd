from weft.jit.execute cimport hand_over
from weft.jit.match cimport Event, Run
from weft.jit.plan cimport run_plan
from weft.kernels.native cimport references, same_place
from weft.tensor.tensor cimport is_plain
