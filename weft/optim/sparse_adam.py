"""SparseAdam: Adam that touches only the rows that have a gradient."""
from weft.ops.create.constants import zeros_like
from weft.optim.adam import check_adam
from weft.optim.rows import rows_of, table_of
from weft.optim.rule import Rule, number


class SparseAdam(Rule):
    """Adam for tables of which a step uses few rows: rows whose gradient is all zero, and their moments, stay as they
    are.

    Of a sparse gradient (`nn.Embedding(sparse=True)`) the rows that it has are updated, of a dense one those that are
    not zero.

    >>> import weft
    >>> p = weft.ones(2, 2, requires_grad=True)
    >>> optimizer = weft.optim.SparseAdam([p], lr=0.1)
    >>> p[0].sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([[0.9000, 0.9000],
            [1.0000, 1.0000]])
    """

    _takes_complex = False
    scalars = ()        # the step is a plain number here, as in PyTorch

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        check_adam(lr, betas, eps, 0.0)
        if lr == 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if eps == 0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))
        complex_ones = [[i, k] for i, group in enumerate(self.param_groups) for k, p in enumerate(group["params"])
                        if p.is_complex()]
        if complex_ones:
            raise ValueError(f"Complex params at indices {complex_ones}: SparseAdam does not support complex "
                             f"parameters")

    def start(self, p, state, group):
        state["step"] = 0
        state["exp_avg"], state["exp_avg_sq"] = zeros_like(p), zeros_like(p)

    def update(self, p, grad, state, group):
        grad = -grad if group["maximize"] else grad
        rows = grad.reshape(grad.shape[0], -1).ne(0).any(1).nonzero().squeeze(1) if grad.dim() else None
        self._move(p, state["exp_avg"], state["exp_avg_sq"], rows, grad if rows is None else grad[rows], state, group)

    def update_rows(self, p, grad, state, group):
        rows, part = rows_of(-grad if group["maximize"] else grad)
        tables = [table_of(t, grad) for t in (p, state["exp_avg"], state["exp_avg_sq"])]
        self._move(*tables, rows, part, state, group)

    def _move(self, p, means, squares, rows, part, state, group):
        """The formula, for the rows of a table that have the gradients `part`; rows None: for all of it."""
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        state["step"] += 1
        step = state["step"]
        mean, square = (means, squares) if rows is None else (means[rows], squares[rows])
        mean = mean.lerp(part, 1 - beta1)
        square = square * beta2 + part * part * (1 - beta2)
        size = lr * (1 - beta2 ** step) ** 0.5 / (1 - beta1 ** step)
        change = mean / (square.sqrt() + group["eps"]) * -size
        if rows is None:
            means.copy_(mean)
            squares.copy_(square)
            p.add_(change)
        else:
            means[rows] = mean
            squares[rows] = square
            p.index_add_(0, rows, change)

    _samples = [{}, {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-4}, {"maximize": True}]
