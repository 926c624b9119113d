"""Prints the lowest version of everything that pyproject.toml names, for pip to install.

What is named twice counts with the higher bound.  Tools that are pinned have but one version, and
may need newer libraries than the package does: they are left out.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version


def named() -> Iterator[Requirement]:
    """The requirements of building, of running, of every extra and of every dependency group."""
    table = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
    project = table["project"]
    for lines in (
        table["build-system"]["requires"],
        project["dependencies"],
        *project["optional-dependencies"].values(),
        *table["dependency-groups"].values(),
    ):
        for requirement in map(Requirement, lines):
            if requirement.name != project["name"]:  # relaysow[web]: its own extra
                yield requirement


def main() -> None:
    lowest: dict[str, Version] = {}
    for requirement in named():
        bounds = [s.version for s in requirement.specifier if s.operator == ">="]
        if any(s.operator == "==" for s in requirement.specifier):
            continue
        if len(bounds) != 1:
            raise SystemExit(f"pyproject.toml: {requirement} names no lowest version")
        version = Version(bounds[0])
        lowest[requirement.name] = max(version, lowest.get(requirement.name, version))
    for name, version in sorted(lowest.items()):
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()
