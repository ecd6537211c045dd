"""torch.distributed.checkpoint: a state that several ranks save together, and that any number of ranks loads."""
from weft._absent import absent_classes as _classes
from weft.core.namespace import parts as _parts
from weft.distributed.checkpoint.state_dict_saver import async_save as async_save
from weft.distributed.saving.files import CheckpointException as CheckpointException
from weft.distributed.saving.files import FileSystemReader as FileSystemReader
from weft.distributed.saving.files import FileSystemWriter as FileSystemWriter
from weft.distributed.saving.planner import DefaultLoadPlanner as DefaultLoadPlanner
from weft.distributed.saving.planner import DefaultSavePlanner as DefaultSavePlanner
from weft.distributed.saving.states import load as load
from weft.distributed.saving.states import load_state_dict as load_state_dict
from weft.distributed.saving.states import save as save
from weft.distributed.saving.states import save_state_dict as save_state_dict

_classes("""LoadPlan LoadPlanner ReadItem SavePlan SavePlanner WriteItem StorageReader StorageWriter Metadata
    BytesStorageMetadata TensorStorageMetadata ChunkStorageMetadata""", globals(),
         "save and load need no plan: DefaultSavePlanner, DefaultLoadPlanner")
__getattr__, __dir__ = _parts(globals(), "default_planner filesystem format_utils metadata optimizer planner "
                              "state_dict state_dict_loader state_dict_saver stateful")
