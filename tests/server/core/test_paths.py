"""One folder, spelled as each system spells it."""

from __future__ import annotations

import pytest

from hitherto_server.core import paths
from hitherto_server.core.git import WorkTree
from hitherto_server.core.paths import local_path, path_key, this_system
from hitherto_server.sessions.control.quiet import lies_in
from hitherto_server.store.projects import identities

LONG = "/" + "/".join(["a folder with a long name"] * 150)


@pytest.mark.parametrize(
    ("named", "local"),
    [
        (r"C:\Users\zoë o'neil\my project", "/mnt/c/Users/zoë o'neil/my project"),
        ("C:/Users/me", "/mnt/c/Users/me"),
        ("d:\\", "/mnt/d"),
        (r"C:\Users\me" + "\\", "/mnt/c/Users/me"),
        (r"\\wsl$\Ubuntu\home\me\shop", "/home/me/shop"),
        (r"\\wsl.localhost\Ubuntu\home\me", "/home/me"),
        (r"\\WSL.LOCALHOST\ubuntu\home\me", "/home/me"),
        ("//wsl$/Ubuntu/home/me", "/home/me"),
        (r"\\wsl$\Ubuntu", "/"),
        (r"\\wsl$\Debian\home\me", None),
        (r"\\server\share\shop", None),
        ("/mnt/c/Users/me", "/mnt/c/Users/me"),
        ("/home/me", "/home/me"),
        (LONG, LONG),
        ("relative/folder", None),
        ("C:relative", None),
        ("", None),
    ],
)
def test_wsl_maps_what_windows_names(named: str, local: str | None) -> None:
    assert local_path(named, "wsl", "Ubuntu") == local


def test_a_distribution_that_does_not_say_its_name_takes_every_share() -> None:
    assert local_path(r"\\wsl$\Debian\home\me", "wsl", "") == "/home/me"


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("named", [r"C:\Users\me", "C:/Users/me", r"\\wsl$\Ubuntu\home", "x", ""])
def test_elsewhere_windows_paths_are_let_be(system, named) -> None:
    assert local_path(named, system) is None


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("named", ["/", "/home/a b", "/Users/zoë", "//wsl$/Ubuntu/home", LONG])
def test_elsewhere_absolute_paths_are_what_they_are(system, named) -> None:
    assert local_path(named, system) == named


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/Users/Me/Shop", "/users/me/shop"),
        ("/private/var/folders/x", "/var/folders/x"),
        ("/private/tmp", "/tmp"),
        ("/Users/me/cafe\u0301", "/Users/me/caf\u00e9"),
        ("/Users/me/STRASSE", "/Users/me/straße"),
    ],
)
def test_macos_has_one_key_for_the_names_of_a_folder(one: str, other: str) -> None:
    assert path_key(one, "darwin") == path_key(other, "darwin")
    assert path_key(one, "linux") != path_key(other, "linux")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/private/varnish", "/varnish"),
        ("/Users/me/private/var", "/Users/me/var"),
        ("/Users/me/Library/shop", "/Users/me/shop"),
    ],
)
def test_macos_tells_folders_apart_that_only_look_alike(one: str, other: str) -> None:
    assert path_key(one, "darwin") != path_key(other, "darwin")


def test_a_drive_of_windows_knows_no_case_and_the_rest_of_wsl_does() -> None:
    assert path_key("/mnt/c/Users/Me", "wsl") == path_key("/mnt/c/users/me", "wsl")
    assert path_key("/home/Me", "wsl") != path_key("/home/me", "wsl")
    assert path_key("/mnt/data/Me", "wsl") != path_key("/mnt/data/me", "wsl")


def test_a_project_on_this_system_is_named_as_before(tmp_path) -> None:
    if this_system() != "darwin":
        names = identities(WorkTree(tmp_path, None, str(tmp_path)), None)
        assert names == [f"path:{tmp_path}"]


@pytest.mark.parametrize(
    ("system", "path", "folder", "lies"),
    [
        ("darwin", "/Users/Me/Secret/a", "/users/me/secret", True),
        ("darwin", "/private/var/x", "/var", True),
        ("linux", "/home/Me/a", "/home/me", False),
        ("linux", "/home/me", "/home/me/", True),
        ("linux", "/home/mean", "/home/me", False),
        ("linux", "/anything", "/", True),
        ("wsl", "/mnt/c/Users/Me/x", "/mnt/c/users/me", True),
    ],
)
def test_what_a_person_ignores_is_ignored_in_every_spelling(
    monkeypatch: pytest.MonkeyPatch, system: str, path: str, folder: str, lies: bool
) -> None:
    monkeypatch.setattr(paths, "this_system", lambda: system)
    assert lies_in(path, [folder]) is lies
