"""The command `graven`, also as `python -m graven`."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from graven.interfaces.cli.app import main as run
    except KeyboardInterrupt:
        print("graven: stopped.", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
