"""torch.__future__: how a module's conversion (`to`, `double`, ...) and loading treat its parameters."""
from weft.core.settings import settings


def set_overwrite_module_params_on_conversion(value):
    """Whether a conversion puts new parameters in the place of the old ones, instead of giving those new data."""
    settings.new_parameters = bool(value)


def get_overwrite_module_params_on_conversion():
    """Whether a conversion puts new parameters in the place of the old ones."""
    return settings.new_parameters


def set_swap_module_params_on_conversion(value):
    """Whether parameters keep their identity when they are converted; it goes before the other setting."""
    settings.same_parameters = bool(value)


def get_swap_module_params_on_conversion():
    """Whether parameters keep their identity when they are converted."""
    return settings.same_parameters
