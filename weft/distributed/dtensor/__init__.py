"""DTensor: one tensor of which every rank of a mesh has a part, all of it, or a summand."""
