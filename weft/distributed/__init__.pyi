"""torch.distributed for a script that runs alone: a group of one process."""
# made by tools/stubs.py

from weft.distributed.alone import is_available as is_available
from weft.distributed.alone import is_initialized as is_initialized
from weft.distributed.alone import is_nccl_available as is_nccl_available
from weft.distributed.alone import is_nccl_available as is_mpi_available
from weft.distributed.alone import is_torchelastic_launched as is_torchelastic_launched
from weft.distributed.alone import init_process_group as init_process_group
from weft.distributed.alone import destroy_process_group as destroy_process_group
from weft.distributed.alone import get_rank as get_rank
from weft.distributed.alone import get_world_size as get_world_size
from weft.distributed.alone import get_backend as get_backend
from weft.distributed.alone import barrier as barrier
from weft.distributed.alone import all_reduce as all_reduce
from weft.distributed.alone import reduce as reduce
from weft.distributed.alone import broadcast as broadcast
from weft.distributed.alone import all_gather as all_gather
from weft.distributed.alone import gather as gather
from weft.distributed.alone import scatter as scatter
from weft.distributed.alone import all_gather_object as all_gather_object
from weft.distributed.alone import broadcast_object_list as broadcast_object_list
from weft.distributed.alone import Backend as Backend
from weft.distributed.alone import ReduceOp as ReduceOp
from weft.distributed.alone import ProcessGroup as ProcessGroup
from weft.distributed.alone import GroupMember as GroupMember
from weft.distributed.alone import GroupMember as group
