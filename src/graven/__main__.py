"""`python -m graven` is the command `graven`."""

from graven.interfaces.cli import main

if __name__ == "__main__":
    main()
