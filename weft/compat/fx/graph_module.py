"""Modules made of a traced graph: weft makes none."""
from weft._absent import absent_classes, absent_functions

absent_classes("GraphModule _CodeOnlyModule", globals(), place="torch.fx")
absent_functions("_copy_attr", globals())
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
