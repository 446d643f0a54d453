"""The benchmark of the secret gate (`secret_gate.py`), under the name that one looks for.

A script's folder comes first on its path, so every benchmark would get this file for the standard
library's `secrets`. Whoever imports it gets that one.
"""

from __future__ import annotations

import sys
import sysconfig
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

if __name__ == "__main__":
    from secret_gate import main

    main()
else:
    spec = spec_from_file_location(__name__, Path(sysconfig.get_path("stdlib")) / "secrets.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[__name__] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[__name__])
