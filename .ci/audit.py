"""Audits the sdist and the wheel in a directory: their contents and the wheel's symbols.

Usage: audit.py DIST VENV.  The wheel in DIST was built from the sdist there; the package installed
in VENV was built from the work tree, and must be the same.
"""

import importlib.metadata
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

IN_SDIST = {
    *(".ci/run", "CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "LICENSE", "README.md"),
    *("bench/bench.py", "cpp/python/module.cpp", "pyproject.toml", "python/relaysow/_core.pyi"),
    *("tests/cases/moves.jsonl", "tests/test_package.py"),
}
JUNK = re.compile(
    r"\.(so|o|pyc|orig|whl)$|__pycache__|\.git/|_cache/|\.hypothesis|^(build|dist|\.venv)/"
)
LIBRARIES = re.compile(r"(libc|libm|libpthread|libstdc\+\+|libgcc_s|ld-linux-.*)\.so\.\d")


def run(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def audit_contents(sdist: Path, wheel: Path) -> None:
    with tarfile.open(sdist) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()}
    assert shipped >= IN_SDIST, f"not in the sdist: {IN_SDIST - shipped}"
    with zipfile.ZipFile(wheel) as archive:
        built = {name for name in archive.namelist() if ".dist-info/" not in name}
    kinds = ("*.py", "*.pyi", "py.typed", "web/page/*")
    wanted = {
        f"{path.relative_to('python')}"
        for kind in kinds
        for path in Path("python/relaysow").rglob(kind)
    }
    extension = built - wanted
    assert built >= wanted, f"not in the wheel: {wanted - built}"
    assert len(extension) == 1, f"in the wheel: {extension}"
    assert extension.pop().startswith("relaysow/_core.")
    assert not (junk := [name for name in shipped if JUNK.search(name)]), f"in the sdist: {junk}"


def audit_same(wheel: Path, venv: Path) -> None:
    """From the sdist and from the work tree the same files are installed, to the byte."""
    (installed,) = venv.glob("lib/python3*/site-packages/relaysow-*.dist-info")
    files = importlib.metadata.Distribution.at(installed).files or []
    tree = {str(file): file.hash.value for file in files if file.hash and file.suffix != ".pyc"}
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (name for name in archive.namelist() if name.endswith("dist-info/RECORD"))
        rows = [line.split(",") for line in archive.read(record).decode().splitlines()]
    for name, digest, _ in rows:
        if digest and not name.endswith("/WHEEL"):
            same = tree.get(name) == digest.removeprefix("sha256=")
            assert same, f"{name} differs between sdist and work tree"


def audit_symbols(wheel: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        (core,) = Path(folder).glob("relaysow/_core.*.so")
        needed = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", core))
        assert all(LIBRARIES.fullmatch(name) for name in needed), f"needs {needed}"
        undefined = [line.split() for line in run("nm", "-D", "-u", core).splitlines()]
        foreign = [
            name
            for kind, name in undefined
            if kind == "U" and "@" not in name and not name.startswith(("Py", "_Py"))
        ]
        assert not foreign, f"takes from outside: {foreign}"
        size = core.stat().st_size // 1024
    print(f"{size} KiB, {len(undefined)} symbols from {', '.join(needed)} and Python")


def main() -> None:
    dist, venv = map(Path, sys.argv[1:])
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    audit_contents(sdist, wheel)
    audit_same(wheel, venv)
    audit_symbols(wheel)
    print(run(sys.executable, "-m", "auditwheel", "show", wheel))


if __name__ == "__main__":
    main()
