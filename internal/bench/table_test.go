package bench

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var page = flag.String("write", "", "write the table into this page, between its marks")

// A figure is one line of the table. Its budget and its floor are in the unit
// of its value; a budget of 0 means none.
type figure struct {
	name   string
	value  float64
	floor  float64 // the cost of the smallest program or of another tool; 0 means none
	beside string  // names the floor
	unit   string
	budget float64
	times  bool // the budget is a multiple of the floor
	least  bool // more is better
}

// met reports whether the budget is met. A budget that is a multiple of the floor
// needs one.
func (f figure) met() (met, known bool) {
	limit := f.budget
	if f.times {
		if f.floor == 0 {
			return false, false
		}
		limit *= f.floor
	}
	if f.least {
		return f.value >= limit, true
	}
	return f.value <= limit, true
}

// verdict describes the result of a figure.
func (f figure) verdict() string {
	switch met, known := f.met(); {
	case f.budget == 0:
		return ""
	case !known:
		return "no " + f.beside
	case met:
		return "met"
	}
	return "**missed**"
}

func (f figure) limit() string {
	switch {
	case f.budget == 0:
		return "none"
	case f.times:
		return number(f.budget) + " times " + f.beside
	}
	return strings.TrimSpace(number(f.budget) + " " + f.unit)
}

func (f figure) besides() string {
	if f.floor == 0 {
		return "none"
	}
	return strings.TrimSpace(number(f.floor)+" "+f.unit) + " (" + f.beside + ")"
}

// number writes three digits, more for what is larger.
func number(v float64) string {
	switch {
	case v == float64(int64(v)), v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10 || v <= -10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// measures lists the measurements in the order of the table.
var measures = []struct {
	name string // for -bench
	of   func(*testing.B) []figure
}{
	{"start", startUp},
	{"memory", idleMemory},
	{"headless", headless},
	{"first", firstPrompt},
	{"acp", agentStart},
	{"prompt", firstWord},
	{"relay", relay},
	{"acprelay", agentRelay},
	{"chunks", chunks},
	{"read", readRound},
	{"long", longSession},
	{"disk", diskBytes},
	{"keystrokes", keystrokes},
	{"review", review},
	{"unreviewed", unreviewed},
	{"search", search},
	{"listing", listing},
	{"diff", differences},
	{"spawn", spawns},
	{"suites", suites},
}

// BenchmarkTable prints every figure for this machine, or, with a part of the
// table chosen by -bench, that part. The page is written when all of it is known.
func BenchmarkTable(b *testing.B) {
	var figures []figure
	measured := 0
	for _, m := range measures {
		b.Run(m.name, func(b *testing.B) {
			for range b.N {
				figures = append(figures, m.of(b)...)
			}
			measured++
		})
	}
	table := tableOf(figures)
	fmt.Fprintf(os.Stderr, "\n%s\n", table)
	if *page == "" || measured < len(measures) {
		return
	}
	if err := writePage(*page, machine(), table); err != nil {
		b.Fatal(err)
	}
}

func tableOf(figures []figure) string {
	rows := [][]string{{"figure", "measured", "budget", "", "floor"}}
	for _, f := range figures {
		rows = append(rows, []string{f.name, strings.TrimSpace(number(f.value) + " " + f.unit), f.limit(), f.verdict(), f.besides()})
	}
	wide := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			wide[i] = max(wide[i], len(cell))
		}
	}
	var t strings.Builder
	for n, r := range rows {
		for i, cell := range r {
			fmt.Fprintf(&t, "| %-*s ", wide[i], cell)
		}
		t.WriteString("|\n")
		if n == 0 {
			for _, w := range wide {
				t.WriteString("|" + strings.Repeat("-", w+2))
			}
			t.WriteString("|\n")
		}
	}
	return t.String()
}

// machine describes the machine and the version.
func machine() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	commit := "an unknown commit"
	if err == nil {
		commit = "commit " + strings.TrimSpace(string(out))
	}
	return fmt.Sprintf("%s/%s, %d cores, %s, %s, %s.", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), time.Now().UTC().Format(time.DateOnly), commit)
}

// The marks around the table in the page.
const (
	tableBegins = "<!-- the table: make bench writes it -->\n"
	tableEnds   = "<!-- the end of the table -->\n"
)

func writePage(name, machine, table string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	_, after, ok2 := strings.Cut(rest, tableEnds)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table: it stands between %q and %q", name, tableBegins, tableEnds)
	}
	return os.WriteFile(name, []byte(before+tableBegins+machine+"\n\n"+table+tableEnds+after), 0o644) //nolint:gosec // a page to read
}

// ms returns a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// quantile returns the q-quantile of values, for q in [0, 1].
func quantile[T cmp.Ordered](values []T, q float64) T {
	l := slices.Sorted(slices.Values(values))
	return l[int(q*float64(len(l)-1)+0.5)]
}

func median[T cmp.Ordered](values []T) T { return quantile(values, 0.5) }

// inTurn runs both n times, alternating, so that other load affects both, and
// returns the medians of their times.
func inTurn(times int, ours, floor func() time.Duration) (float64, float64) {
	var a, z []time.Duration
	for range times {
		a, z = append(a, ours()), append(z, floor())
	}
	return ms(median(a)), ms(median(z))
}
