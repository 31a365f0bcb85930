"""Plays the sequences of agent/view/testdata/sequences.json: after each step the example has the items that the server has."""

import json
import pathlib
import sys

sys.dont_write_bytecode = True  # the tests leave nothing in the source

import emendo_terminal


def cleaned(item):
    """Returns an item without what means the same whether it is there or not."""
    parts = [{k: v for k, v in part.items() if v not in (0, "", None)} for part in item.get("parts") or ()]
    return {**{k: v for k, v in item.items() if k != "parts"}, **({"parts": parts} if parts else {})}


def main():
    file = pathlib.Path(__file__).resolve().parents[2] / "agent/view/testdata/sequences.json"
    steps = 0
    for number, sequence in enumerate(json.loads(file.read_text())):
        fold = emendo_terminal.Fold({"version": 0, "items": [], "questions": []})
        for step in sequence:
            fold.apply(step["changes"])
            steps += 1
            if step.get("items") is not None:
                have, want = [cleaned(i) for i in fold.all()], [cleaned(i) for i in step["items"]]
                if have != want:
                    sys.exit(f"sequence {number}: {have}\nwant {want}")
    if steps < 100:
        sys.exit(f"only {steps} steps")


if __name__ == "__main__":
    main()
