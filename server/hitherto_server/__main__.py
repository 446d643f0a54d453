"""`python -m hitherto_server` is the command `hitherto`."""

import sys

# Hooks start the server this way and wait for it: what the other commands need costs 0.1 s.
if sys.argv[1:] == ["serve"]:
    from hitherto_server.foreground import main
else:
    from hitherto_server.cli import main

main()
