package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/doctor/editors"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Finding is the result of one check.
type Finding struct {
	Name   string       `json:"name"`
	Status auth.Verdict `json:"status"`
	Says   string       `json:"message"`
	Fix    string       `json:"fix,omitempty"` // suggested fix
	// StartMS is the time that a no-op command takes, in milliseconds.
	StartMS float64 `json:"startMs,omitempty"`
	// Editor is the editor that the finding is about; nil: none.
	Editor *editors.Editor `json:"editor,omitempty"`
}

func (e *Examination) add(name string, v auth.Verdict, fix, format string, a ...any) {
	says := visible.OneLine(e.Clean(fmt.Sprintf(format, a...)))
	e.found = append(e.found, Finding{Name: name, Status: v, Says: says, Fix: fix})
}

// usable reports whether no check found that emendo does not work.
func (e *Examination) usable() bool {
	return !slices.ContainsFunc(e.found, func(f Finding) bool { return f.Status == auth.Broken })
}

// marks are the prefixes of findings.
var marks = map[auth.Verdict]string{auth.Fine: "ok  ", auth.Lacking: "warn", auth.Broken: "FAIL"}

// print prints the findings.
func (e *Examination) print(asJSON bool) error {
	if asJSON {
		return json.NewEncoder(visible.JSON(e.Stdout)).Encode(map[string]any{"version": e.Version, "usable": e.usable(), "checks": e.found})
	}
	var b strings.Builder
	for _, f := range e.found {
		fmt.Fprintf(&b, "%s  %-12s %s\n", marks[f.Status], f.Name, f.Says)
		if f.Fix != "" {
			fmt.Fprintf(&b, "%19s→ %s\n", "", f.Fix)
		}
	}
	_, err := io.WriteString(e.Stdout, b.String())
	return err
}
