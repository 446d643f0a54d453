"""`python -m hitherto_server` is the command `hitherto`."""

from hitherto_server.cli import main

main()
