"""The worker that this process is, between init_rpc and shutdown."""


class Current:
    def __init__(self):
        self.agent = None


current = Current()


def agent_now(needed=True):
    """This process's agent."""
    if current.agent is None and needed:
        raise RuntimeError("RPC has not been initialized. Call torch.distributed.rpc.init_rpc first.")
    return current.agent


def number_of(counter):
    """A number that no other worker of the job makes: this one's, and a count."""
    own = 0 if current.agent is None else current.agent.me.id
    return (own << 48) + next(counter)
