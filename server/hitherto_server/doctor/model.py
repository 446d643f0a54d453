"""The embedding model: missing, damaged, or there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.core.settings import load_settings
from hitherto_server.doctor.finding import Finding, fault, unusable, well
from hitherto_server.models.files import ModelFiles, is_intact
from hitherto_server.models.sources import command_to_get, find_model

if TYPE_CHECKING:
    from hitherto_server.core.home import Home


def model(home: Home) -> Finding:
    """Look for the model of the settings."""
    try:
        configured = load_settings().model
        found = find_model(home.models, configured)
    except HithertoError as error:
        return unusable("model", error)
    get_it = command_to_get(configured)
    if found is None:
        return fault("model", "none is installed; recall is lexical", f"Run `{get_it}`.")
    if isinstance(found, ModelFiles) and not is_intact(found):
        return fault("model", f"the files of {found.name} are damaged", f"Run `{get_it}`.")
    languages = ", ".join(found.traits.languages) or "many"
    reads = f"reads: {languages}; words: every language"
    return well("model", f"{found.name}, {found.dimension} dimensions ({reads})")
