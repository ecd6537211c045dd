"""python -m torch.utils.collect_env: what to say about the environment when something fails."""
import platform

import numpy as np

from weft import __config__


def get_pretty_env_info():
    """What is installed, in a few lines; `weft info` says more."""
    return (f"{__config__.show()}{__config__.parallel_info()}Python {platform.python_version()}, "
            f"NumPy {np.__version__}, {platform.platform()}")


def main():
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
