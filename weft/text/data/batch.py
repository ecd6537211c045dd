"""A batch: a tensor for each field."""

__all__ = ["Batch"]


class Batch:
    """Examples put together: each field's tensor is an attribute; iterating gives (inputs, targets).

    >>> from weft.text.data import Batch, Dataset, Example, Field
    >>> text = Field()
    >>> data = Dataset([Example.fromlist([line], [("text", text)]) for line in ("a b", "a")], [("text", text)])
    >>> text.build_vocab(data)
    >>> Batch(data.examples, data).text
    tensor([[2, 2],
            [3, 1]])
    """

    def __init__(self, data=None, dataset=None, device=None):
        if data is None:
            return
        self.batch_size, self.dataset = len(data), dataset
        self.fields = dataset.fields.keys()
        known = {name: field for name, field in dataset.fields.items() if field is not None}
        self.input_fields = [name for name, field in known.items() if not field.is_target]
        self.target_fields = [name for name, field in known.items() if field.is_target]
        for name, field in known.items():
            setattr(self, name, field.process([getattr(example, name) for example in data], device=device))

    @classmethod
    def fromvars(cls, dataset, batch_size, train=None, **kwargs):
        """Of tensors that are there already, name=tensor.

        >>> import weft
        >>> from weft.text.data import Batch
        >>> Batch.fromvars(None, 2, text=weft.ones(2)).text
        tensor([1., 1.])
        """
        made = cls()
        made.batch_size, made.dataset, made.fields = batch_size, dataset, kwargs.keys()
        known = dataset.fields if dataset is not None else {}
        targets = [name for name in kwargs if getattr(known.get(name), "is_target", False)]
        made.input_fields, made.target_fields = [name for name in kwargs if name not in targets], targets
        for name, value in kwargs.items():
            setattr(made, name, value)
        return made

    def __len__(self):
        return self.batch_size

    def __iter__(self):
        yield self._of(self.input_fields)
        yield self._of(self.target_fields)

    def _of(self, names):
        values = tuple(getattr(self, name) for name in names)
        return None if not values else values[0] if len(values) == 1 else values

    def __repr__(self):
        if not hasattr(self, "fields"):
            return "Batch(empty)"
        shapes = []
        for name in self.fields:
            value = getattr(self, name, None)
            shapes.append(f"{name}: {tuple(value.shape) if hasattr(value, 'shape') else type(value).__name__}")
        return f"Batch({self.batch_size}; {', '.join(shapes)})"
