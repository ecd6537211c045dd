"""torch.cuda.random: random numbers of GPUs, of which there are none."""
from weft.cuda.absent import get_rng_state as get_rng_state
from weft.cuda.absent import get_rng_state_all as get_rng_state_all
from weft.cuda.absent import initial_seed as initial_seed
from weft.cuda.absent import manual_seed as manual_seed
from weft.cuda.absent import manual_seed_all as manual_seed_all
from weft.cuda.absent import seed as seed
from weft.cuda.absent import seed_all as seed_all
from weft.cuda.absent import set_rng_state as set_rng_state
from weft.cuda.absent import set_rng_state_all as set_rng_state_all
