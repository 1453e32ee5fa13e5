#!/usr/bin/env python3
"""Every key that the reader of model files knows stands in docs/model-file.md.

  documented_keys.py ROOT"""

import pathlib
import re
import sys

KEY = re.compile(r'\.(?:find|require|has)\("(\w+)"\)')
# Files of others have keys of their own.
OF_OTHERS = {"fit_file.cpp"}


def main(root):
    documented = set(re.findall(r"\w+", (root / "docs/model-file.md").read_text()))
    keys = {}
    for path in sorted((root / "io/model").rglob("*.cpp")):
        if path.name not in OF_OTHERS:
            for key in KEY.findall(path.read_text()):
                keys.setdefault(key, path.relative_to(root))
    missing = {key: path for key, path in keys.items() if key not in documented}
    for key, path in missing.items():
        print(f"{path} knows the key '{key}', and docs/model-file.md has no such word")
    print(f"{len(keys)} keys, {len(missing)} without a word")
    return 1 if missing or len(keys) < 100 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
