"""python -m torch.utils.collect_env: what to say about the environment when something fails."""
from weft.cli.info import facts


def get_pretty_env_info():
    """A line for each fact."""
    return "\n".join(f"{name}: {value}" for name, value in facts())


def main():
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
