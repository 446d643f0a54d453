"""The command `hitherto`, also as `python -m hitherto_server`."""

import sys


def main() -> None:
    """Run the command; `serve` without what the other commands need, which costs 0.2 s."""
    if sys.argv[1:] == ["serve"]:
        from hitherto_server import foreground

        foreground.main()
    else:
        from hitherto_server import cli

        cli.main()


if __name__ == "__main__":
    main()
