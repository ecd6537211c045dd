"""torch._lowrank: PyTorch's place for these."""
import weft

svd_lowrank, pca_lowrank = weft.svd_lowrank, weft.pca_lowrank
