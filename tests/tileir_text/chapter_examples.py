"""The examples of chapter 8 by name. examples/ has a file per operation; `// -----` separates modules."""

from pathlib import Path

FILES = sorted((Path(__file__).parent / "examples").glob("*.mlir"))
EXAMPLES = {
    f"{path.stem}-{i}": text
    for path in FILES
    for i, text in enumerate(path.read_text(encoding="utf-8").split("// -----\n"))
}
