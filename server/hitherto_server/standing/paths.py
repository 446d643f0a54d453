"""Which files may be looked at: inside the root, and never a person's secrets."""

from __future__ import annotations

import re
from pathlib import Path

PRIVATE_NAME = re.compile(
    r"""
      \.env.* | .*\.env                                # environment files of every kind
    | .*\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|asc|gpg|ppk)
    | id_(?:rsa|dsa|ecdsa|ed25519)(?:_\w+)?(?:\.pub)?
    | \.?(?:netrc|npmrc|pypirc|pgpass|htpasswd|dockercfg|git-credentials|my\.cnf|kubeconfig)
    | .*\.(?:keytab|ovpn|agekey|tfstate|tfvars|mobileprovision)(?:\.backup)?
    | service[-_]account.*\.json
    | (?:.*[-_.])?(?:credentials?|secrets?)
        (?:\.(?:json|ya?ml|toml|ini|cfg|conf|txt|xml|csv|enc|db))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
PRIVATE_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".kube", ".docker", ".azure"})


def is_private(path: Path) -> bool:
    """Tell whether a path looks like keys or credentials, by its names alone."""
    if PRIVATE_NAME.fullmatch(path.name):
        return True
    return any(part.lower() in PRIVATE_FOLDERS for part in path.parts)


def relative_name(root: Path, name: str) -> str | None:
    """Spell a path as the store does (relative to the root, with '/'); None if it leaves it."""
    if not name or "\0" in name:
        return None
    path = Path(name)
    if path.is_absolute():
        # clients may spell the root with its links resolved or not
        spelled = (home for home in (root, root.resolve()) if path.is_relative_to(home))
        path = path.relative_to(next(spelled, path))
    if ".." in path.parts or path == Path():
        return None
    return path.as_posix()


def confine(root: Path, name: str) -> Path | None:
    """Resolve a relative path below the root; None if links or dots lead out of it."""
    spelled = relative_name(root, name)
    if spelled is None:
        return None
    try:
        home = root.resolve()
        target = (home / spelled).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return target if target.is_relative_to(home) and target != home else None
