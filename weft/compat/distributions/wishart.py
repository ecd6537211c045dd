"""torch.distributions.wishart: weft doesn't have this distribution yet."""
from weft._absent import absent_classes

absent_classes("Wishart", globals())
