"""Start the hook; whatever happens, exit 0 with an empty stderr."""

import posix
import sys

# This file is compiled at every start (a script has no cached bytecode), so all else is in `pipe`.
try:
    sys.path.insert(0, __file__.rpartition("/")[0])
    import pipe  # type: ignore[import-not-found,unused-ignore]

    pipe.main(sys.argv, posix.environ)
finally:
    posix._exit(0)  # noqa: SLF001 - its public name costs an import of `os`
