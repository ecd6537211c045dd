"""torch.cuda.graphs: recorded work of GPUs, of which there are none."""
from weft.cuda.absent import CUDAGraph as CUDAGraph
from weft.cuda.absent import graph as graph
from weft.cuda.absent import graph_pool_handle as graph_pool_handle
from weft.cuda.absent import is_current_stream_capturing as is_current_stream_capturing
from weft.cuda.absent import make_graphed_callables as make_graphed_callables
