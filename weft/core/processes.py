"""What the lower parts know of other processes; weft.distributed fills it in."""


class Processes:
    """This process among those of its job."""

    def __init__(self):
        self.rank, self.size = 0, 1
        self.sum_over = None        # (tensor, group) -> (its differentiable sum over the group's processes)
        self.size_of = None         # group -> how many processes it has
        self.waited = 0.0           # seconds that this process has waited for others
        self.failing = False        # this process ends by an error: nobody waits for it


processes = Processes()
