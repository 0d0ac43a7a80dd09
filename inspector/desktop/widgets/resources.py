"""Where the files of ``resources/`` are: in a checkout, in an installed wheel, in a frozen build."""

import sys
from pathlib import Path


def resource(*parts: str) -> Path:
    """Return the path of the resource ``parts``, below ``resources/``.

    The nearest place that has it wins; where none has, the path in the checkout is returned, so that the error of
    whoever opens it names a path that a person can look at.
    """
    places = _places()
    return next((path for place in places if (path := place.joinpath(*parts)).exists()), places[-1].joinpath(*parts))


def _places() -> tuple[Path, ...]:
    package = Path(__file__).resolve().parents[2]
    frozen = getattr(sys, "_MEIPASS", None)
    built = (Path(frozen, "inspector", "resources"), Path(frozen, "resources")) if isinstance(frozen, str) else ()
    return (*built, package / "resources", package.parent / "resources")
