"""torch.utils: helpers around tensors."""
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "checkpoint data deterministic dlpack hooks serialization tensorboard _pytree "
                              "flop_counter model_zoo cpp_extension collect_env _python_dispatch weak "
                              "module_tracker benchmark _contextlib _import_utils _mode_utils",
                              {"swap_tensors": "weft.tensor.swap", "set_module": "weft.utils._import_utils"})
