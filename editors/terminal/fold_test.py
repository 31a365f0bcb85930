"""Plays the sequences of agent/view/testdata/sequences.json: after each step the example has what the server has."""

import copy
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # the tests leave nothing in the source

import emendo_terminal


def cleaned(item):
    """Returns an item without what means the same whether it is there or not."""
    parts = [{k: v for k, v in part.items() if v not in (0, "", None)} for part in item.get("parts") or ()]
    return {**{k: v for k, v in item.items() if k != "parts"}, **({"parts": parts} if parts else {})}


def by_id(hunks):
    return sorted(hunks, key=lambda hunk: hunk["id"])


def main():
    file = pathlib.Path(__file__).resolve().parents[2] / "agent/view/testdata/sequences.json"
    steps = 0
    for number, sequence in enumerate(json.loads(file.read_text())):
        fold = emendo_terminal.Fold({"version": 0, "items": [], "questions": [], "hunks": []})
        for step in sequence:
            if "earlier" in step:
                break  # the example shows the newest page alone
            told = copy.deepcopy(step)  # a fold changes what it is told
            if "view" in told:
                fold = emendo_terminal.Fold(told["view"])
            fold.apply(told["changes"] or ())
            steps += 1
            have = {"items": [cleaned(i) for i in fold.all()], "questions": list(fold.questions.values()), "hunks": by_id(fold.hunks.values())}
            want = {"items": [cleaned(i) for i in step.get("items", ())], "questions": step.get("questions"), "hunks": by_id(step.get("hunks", ()))}
            for what in have:
                if what in step and have[what] != want[what]:
                    sys.exit(f"sequence {number}, {what}: {have[what]}\nwant {want[what]}")
    if steps < 100:
        sys.exit(f"only {steps} steps")


if __name__ == "__main__":
    main()
