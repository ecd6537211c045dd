"""Parameters that a hook makes anew before every forward (the old weight_norm and spectral_norm, pruning)."""


def undo(module, wanted):
    """Take the first hook away for which `wanted` is true, the parameter being an ordinary one again; whether there was
    one.
    """
    for key, hook in module._forward_pre_hooks.items():
        if wanted(hook):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return True
    return False
