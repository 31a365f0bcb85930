package phrase_test

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/view/phrase"
)

// missingSentences is how many sentences of the inventory nobody says yet. It only becomes
// smaller.
const missingSentences = 0

// ownWords are what a client may say by itself (docs/view.md): names of its keys; its commands,
// and that one has nothing to do where it is called; its controls, and what the user types into
// them; what screen readers are told; numbers and dates; what it says while no server runs, or
// to check why; errors of the editor and of its set-up, and what is written to logs.
var ownWords = []string{"key", "command", "control", "screen reader", "number", "no server", "editor"}

// severalTexts begin codes whose texts are not in the list of the page.
var severalTexts = []string{"notice.", "option.", "mode."}

// testdata/inventory.tsv has every sentence that both clients had before the server worded
// conversations, and what became of it: none may be lost on the way.
func TestEverySentenceOfTheClientsHasASuccessor(t *testing.T) {
	b, err := os.ReadFile("testdata/inventory.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[1:]
	if len(lines) != 939 {
		t.Errorf("the inventory has %d sentences", len(lines))
	}
	missing, before := 0, []string{"", ""}
	for _, line := range lines {
		row := strings.Split(line, "\t")
		if len(row) != 3 {
			t.Errorf("want a file, a sentence and what replaces it: %q", line)
			continue
		}
		if c := cmp.Or(cmp.Compare(before[0], row[0]), cmp.Compare(before[1], row[1])); c >= 0 {
			t.Errorf("%s %q stands twice, or out of order", row[0], row[1])
		}
		before = row
		if problem := successorProblem(row[2]); problem != "" {
			t.Errorf("%s %q: %s", row[0], row[1], problem)
		}
		if strings.HasPrefix(row[2], "missing: ") {
			missing++
		}
	}
	if missing > missingSentences {
		t.Errorf("%d sentences are missing, more than %d", missing, missingSentences)
	}
	if missing < missingSentences {
		t.Errorf("%d sentences are missing: set missingSentences to that", missing)
	}
}

// successorProblem says what is wrong with the entry of a sentence.
func successorProblem(entry string) string {
	kind, what, several := strings.Cut(entry, ": ")
	switch {
	case strings.TrimSpace(entry) == "":
		return "nothing is said about what replaces it"
	case !several:
		for code := range strings.SplitSeq(entry, ", ") {
			start, any := strings.CutSuffix(code, "*")
			if any && slices.Contains(severalTexts, start) {
				continue
			}
			if phrase.English(code) == "" {
				return "there is no text with the code " + code
			}
		}
	case kind == "own":
		if !slices.Contains(ownWords, what) {
			return "a client has no words of its own for " + what
		}
	case kind != "gone" && kind != "missing":
		return "what is " + kind + "?"
	case strings.TrimSpace(what) == "":
		return kind + " says nothing"
	}
	return ""
}
