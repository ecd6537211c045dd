"""torch.utils.deterministic: `fill_uninitialized_memory` is taken note of; fresh memory stays as it is."""
# made by tools/stubs.py

