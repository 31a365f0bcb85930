package grammar

import (
	"fmt"
	"strings"
	"testing"
)

func TestPassages(t *testing.T) {
	for name, tt := range map[string]struct{ question, want string }{
		"none":              {"Do it.\n\nAll.", `"Do it.\n\nAll."`},
		"one":               {"> [a.go:3](file:///a.go)\n> x\n\nWhy?", `file:///a.go 3-3 [x] "Why?"`},
		"with more":         {"First.\n\n> [d/a b.go:3-4](file:///d/a%20b.go)\n> x\n>\n>   y\n\nWhy?\n\nAnd how?\n\n\n> [c:1](file:///c)\n> z\nBelow it.", `"First." | file:///d/a%20b.go 3-4 [x,,  y] "Why?\n\nAnd how?" | file:///c 1-1 [z] "Below it."`},
		"without a text":    {"> [a.go:3](file:///a.go)\n> x", `file:///a.go 3-3 [x] ""`},
		"brackets":          {"> [app/(x)/[id].ts:3](file:///app/(x)/[id].ts)\n> y\n\nNo.", `file:///app/(x)/[id].ts 3-3 [y] "No."`},
		"a plain quote":     {"> They said:\n> [a.go:3](file:///a.go)\n\nWhy?", `"> They said:\n> [a.go:3](file:///a.go)\n\nWhy?"`},
		"no line":           {"> [a.go](file:///a.go)\n> x\n\nWhy?", `"> [a.go](file:///a.go)\n> x\n\nWhy?"`},
		"lines backwards":   {"> [a.go:3-2](file:///a.go)\n> x", `"> [a.go:3-2](file:///a.go)\n> x"`},
		"words with it":     {"> [a.go:3](file:///a.go) is\n> x", `"> [a.go:3](file:///a.go) is\n> x"`},
		"in a block":        {"```\n\n> [a.go:3](file:///a.go)\n> x\n```", `"` + "```" + `\n\n> [a.go:3](file:///a.go)\n> x\n` + "```" + `"`},
		"in a list":         {"- one\n\n  > [a.go:3](file:///a.go)\n  > x", `"- one\n\n  > [a.go:3](file:///a.go)\n  > x"`},
		"without a blank":   {"See:\n> [a.go:3](file:///a.go)\n> x", `"See:\n> [a.go:3](file:///a.go)\n> x"`},
		"code in the lines": {"> [a.md:3-5](file:///a.md)\n> ```\n> ## You\n> ```\n\nWhy?", "file:///a.md 3-5 [```,## You,```] \"Why?\""},
	} {
		var l []string
		for _, p := range Passages(tt.question) {
			q := p.Quotation
			if q == nil {
				l = append(l, fmt.Sprintf("%q", tt.question[p.Start:p.End]))
				continue
			}
			l = append(l, fmt.Sprintf("%s %d-%d [%s] %q", q.URI, q.First, q.Last, strings.Join(q.Lines, ","), strings.TrimSpace(tt.question[min(q.Body, p.End):p.End])))
		}
		if got := strings.Join(l, " | "); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
