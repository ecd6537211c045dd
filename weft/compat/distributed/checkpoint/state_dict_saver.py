"""torch.distributed.checkpoint.state_dict_saver: saving, also for programs that want to wait for it later."""
from weft.distributed.saving.states import save as save
from weft.distributed.saving.states import save_state_dict as save_state_dict
from weft.futures import Future


def async_save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, **options):
    """`save`, and a Future that is done: the state is on disk when this returns.

    >>> import tempfile, weft
    >>> import weft.distributed.checkpoint as dcp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dcp.async_save({"w": weft.ones(2)}, checkpoint_id=folder).done()
    True
    """
    save(state_dict, checkpoint_id=checkpoint_id, storage_writer=storage_writer, planner=planner,
         process_group=process_group)
    made = Future()
    made.set_result(None)
    return made
