"""What stands for a value while PyTorch traces: weft doesn't trace, so nothing is one."""
from weft._absent import absent_classes

absent_classes("Proxy Attribute ParameterProxy TraceError", globals(), place="torch.fx")
