"""`python -m torch.distributed.run`: weft's launcher, which takes torchrun's options."""
import sys

from weft.distributed.launcher import launch


def main(args=None):
    """Start a program's processes; the exit code is not 0 if one fails."""
    code = launch(sys.argv[1:] if args is None else list(args))
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
