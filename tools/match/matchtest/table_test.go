package matchtest

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/emendo-dev/emendo/tools/match"
)

// The matcher was developed with seeds 1 to 20; the default ones are different.
var (
	seed  = flag.Uint64("seed", 1001, "the first seed of the table")
	seeds = flag.Int("seeds", 10, "how many seeds")
	each  = flag.Int("each", 2, "cases of a class for each seed")
	show  = flag.String("show", "", "print what went wrong in this class; \"all\" for every class")
)

// tally counts outcomes of one class.
type tally struct {
	cases, right, refused, wrong int
	near, far                    int // refusals that quote the intended passage, and others
}

func TestTable(t *testing.T) {
	var sum tally
	byClass := map[string]*tally{}
	for s := range *seeds {
		for _, c := range Generate(*seed+uint64(s), *each) {
			k := byClass[c.Class]
			if k == nil {
				k = &tally{}
				byClass[c.Class] = k
			}
			judge(t, c, k)
		}
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "class\tcases\tright\trefused though clear\twrong\tquotes the place")
	for _, class := range Classes() {
		k := byClass[class.Name]
		if k == nil {
			t.Errorf("class %q has no cases", class.Name)
			continue
		}
		k.print(w, class.Name)
		sum.add(*k)
	}
	sum.print(w, "all")
	w.Flush()
	t.Logf("seeds %d to %d\n%s", *seed, *seed+uint64(*seeds)-1, table.String())

	guesses := 0
	for _, class := range doubtful() {
		guesses += byClass[class.Name].wrong
	}
	if guesses > 0 {
		t.Errorf("%d edits were made that must be refused", guesses)
	}
	if sum.wrong*100 > sum.cases {
		t.Errorf("%d of %d edits were made wrong, more than 1 in 100", sum.wrong, sum.cases)
	}
	if sum.right*100 < sum.cases*97 {
		t.Errorf("%d of %d edits are right, less than 97 in 100", sum.right, sum.cases)
	}
	if sum.cases < 500 {
		t.Errorf("%d cases are too few to tell", sum.cases)
	}
}

// judge counts the outcome of a case.
func judge(t *testing.T, c Case, k *tally) {
	k.cases++
	found, err := match.Find(c.Text, c.Old, c.New, c.Multiple)
	got := found.Apply(c.Text)
	var r *match.Refusal
	outcome := "wrong"
	switch {
	case errors.As(err, &r):
		if r.Quote == "" || r.Line == 0 {
			t.Errorf("%s: a refusal that quotes nothing: %s", c.Class, r.Reason)
		}
		if c.Line > 0 {
			if r.Line >= c.Line-3 && r.Line <= c.Line+12 {
				k.near++
			} else {
				k.far++
			}
		}
		if c.Refuse {
			outcome = "right"
		} else {
			outcome = "refused"
		}
	case err != nil:
		t.Fatal(err)
	case c.Refuse && len(match.Elisions(c.File, got, c.Text)) > 0:
		outcome = "right"
	case slices.Contains(c.Right, got):
		outcome = "right"
	}
	switch outcome {
	case "right":
		k.right++
	case "refused":
		k.refused++
	default:
		k.wrong++
	}
	if outcome != "right" && (*show == c.Class || *show == "all") {
		want := "(refused)"
		if len(c.Right) > 0 {
			want = region(c.Text, c.Right[0])
		}
		t.Logf("%s, %s, %s\nold:\n%q\nnew:\n%q\ngot:\n%q\nwant:\n%q\n%v", outcome, c.Class, c.File, c.Old, c.New, region(c.Text, got), want, err)
	}
}

// region returns the part of b that differs from a.
func region(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	k := 0
	for k < len(a)-i && k < len(b)-i && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	return b[max(0, i-20):min(len(b), len(b)-k+20)]
}

func (k *tally) add(o tally) {
	k.cases += o.cases
	k.right += o.right
	k.refused += o.refused
	k.wrong += o.wrong
	k.near += o.near
	k.far += o.far
}

func (k *tally) print(w *tabwriter.Writer, name string) {
	near := "-"
	if k.near+k.far > 0 {
		near = fmt.Sprintf("%d of %d", k.near, k.near+k.far)
	}
	fmt.Fprintf(w, "%s\t%d\t%.1f %%\t%d\t%d\t%s\n", name, k.cases, 100*float64(k.right)/float64(k.cases), k.refused, k.wrong, near)
}
