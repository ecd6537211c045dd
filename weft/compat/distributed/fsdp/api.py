"""torch.distributed.fsdp.api: the options' classes."""
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class ShardingStrategy(Enum):
    """What is cut. weft's FullyShardedDataParallel cuts parameters, gradients and the optimizer's state."""
    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the next layer's parameters are asked for; weft asks when it needs them."""
    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """What a state_dict has: whole tensors, or DTensors (LOCAL_STATE_DICT gives these too)."""
    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


class OptimStateKeyType(Enum):
    """What an optimizer's state is keyed by."""
    PARAM_NAME = auto()
    PARAM_ID = auto()


@dataclass
class CPUOffload:
    """Where parameters are kept: everything is on the CPU."""
    offload_params: bool = False


@dataclass
class MixedPrecision:
    """Types to compute and to exchange in."""
    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """Types to compute and to exchange in."""
    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Where parameters are kept: everything is on the CPU."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """The same."""
    pin_memory: bool = True


@dataclass
class StateDictConfig:
    """How a state_dict is made."""
    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Of whole parameters, for all ranks or the first one."""
    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Of this rank's parts."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Of parts as DTensors."""
    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """How an optimizer's state is made."""
    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Of whole tensors."""
    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Of this rank's parts."""
    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Of parts as DTensors."""
    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """What was chosen."""
    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
