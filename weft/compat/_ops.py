"""torch._ops: the kinds of what stands in torch.ops. A program's own op and its overload are one object here, of both
kinds."""
from weft import ops as ops
from weft._absent import absent_classes as _classes
from weft.library import CustomOpDef, Overload, Packet

_classes("HigherOrderOperator", globals(), "functions that take functions run as the Python that they are")


class _Kind(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, cls.kinds)


class OpOverload(metaclass=_Kind):
    """torch.ops.aten.add.default is one."""
    kinds = CustomOpDef, Overload


class OpOverloadPacket(metaclass=_Kind):
    """torch.ops.aten.add is one."""
    kinds = CustomOpDef, Packet
