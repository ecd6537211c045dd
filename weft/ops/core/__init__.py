"""The road of an op, from its call to its record; and `@op`, which makes an op of a class body."""
