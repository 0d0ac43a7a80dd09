"""Which layout descriptions there are: one that was asked for, the user's own, and those that come with the program."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inspector.layout.visible import visible
from inspector.lmsp.values import value

if TYPE_CHECKING:
    from inspector.layout.description import Description

_LARGEST: Final = 1 << 20


@value
class Layouts:
    """What a file may be read as beside the native layout."""

    asked_for: "Description | None" = None
    """Read as this, whatever it looks like."""
    folders: tuple[Path, ...] = ()
    """Where descriptions lie that are tried in the order of their names."""
    any_tables: bool = False
    """Whether a file without tasks is opened as well: its tables can be looked at."""

    def known(self) -> "Iterator[Description | str]":
        """Give the descriptions of the folders, and of a folder or description that cannot be used a sentence why."""
        from inspector.layout.description import InvalidDescription  # noqa: PLC0415  a native file needs none

        for folder in self.folders:
            try:
                # Path.glob would say of a folder that may not be listed that nothing lies in it.
                paths = sorted(folder.iterdir())
            except FileNotFoundError:
                continue
            except OSError as error:
                yield f"The layouts in {visible(str(folder))} are passed over: {_why_not_listed(error)}."
                continue
            for path in paths:
                if path.suffix != ".toml":
                    continue
                try:
                    yield read_description(path)
                except InvalidDescription as error:
                    yield f"A layout is passed over: {error.sentence}"


def _why_not_listed(error: OSError) -> str:
    if isinstance(error, NotADirectoryError):
        return "that is no folder"
    if isinstance(error, PermissionError):
        return "there is no permission to list the folder"
    return f"the folder cannot be listed ({error.strerror})"


NATIVE_ONLY: Final = Layouts()


def layouts_of(layout: Path | None, environment: Mapping[str, str], *, any_tables: bool = False) -> Layouts:
    """Return what a file may be read as: the layout described in ``layout``, else what is known or can be guessed.

    Raises InvalidDescription where ``layout`` describes none.
    """
    asked_for = None if layout is None else read_description(layout)
    return Layouts(asked_for, layout_folders(own_folder(environment)), any_tables)


def read_description(path: Path) -> "Description":
    """Return the description in the file at ``path``. Raises InvalidDescription with one sentence."""
    from inspector.layout.description import InvalidDescription, description_from  # noqa: PLC0415  the same

    name = visible(path.name)
    try:
        if not path.is_file():
            raise InvalidDescription(f"{name} is no file with a layout.")
        if path.stat().st_size > _LARGEST:
            raise InvalidDescription(f"{name} is too large for the description of a layout.")
        # Some editors begin each file with a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidDescription(f"{name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidDescription(f"{name} is no TOML: it is not UTF-8.") from error
    return description_from(text, name)


class NotSaved(Exception):
    """A description was not written. ``sentence`` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def save_description(text: str, path: Path) -> None:
    """Write a description into a new file. Raises NotSaved, also where one is there already: that is left as it is."""
    from inspector.reading.beside import why_not_new  # noqa: PLC0415  a reader never saves one

    why_not = why_not_new(path)
    if why_not is not None:
        raise NotSaved(why_not)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise NotSaved(f"{visible(str(path))} is there already and is left as it is: name a new one.") from error
    except OSError as error:
        raise NotSaved(f"{visible(str(path))} cannot be written: {error.strerror}.") from error


def own_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's own layouts; it need not be there."""
    home = environment.get("XDG_CONFIG_HOME") or str(Path(environment.get("HOME", "/"), ".config"))
    return Path(home, "lmsp-inspector", "layouts")


def layout_folders(own: Path | None) -> tuple[Path, ...]:
    """Return the user's ``own`` folder of layouts, and the one that comes with the program.

    A wheel and a frozen program carry ``resources`` inside the package, a checkout beside it.
    """
    package = Path(__file__).parents[1]
    shipped = (package / "resources" / "layouts", package.parent / "resources" / "layouts")
    return tuple(folder for folder in (own, *shipped) if folder is not None and _is_there(folder))


def _is_there(folder: Path) -> bool:
    try:
        # Also what is no folder: whoever put it there is to hear that it is not used.
        return folder.exists()
    except OSError:
        # A folder above may not be entered: it is of another user, from whom the environment was taken over.
        return False
