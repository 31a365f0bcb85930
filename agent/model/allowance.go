package model

import (
	"fmt"
	"strings"
	"time"
)

// An Allowance is how much a provider still accepts of one kind.
type Allowance struct {
	Of        string    // plural, such as "requests" or "input tokens"
	Remaining int64     // until Resets
	Limit     int64     // zero if it is not said
	Resets    time.Time // when all of Limit is there again; zero if it is not said
}

// An Allower is a generator whose provider says with its answers what it still accepts.
type Allower interface {
	// Allowances returns what the last answer said, empty if it said nothing. It asks
	// nobody.
	Allowances() []Allowance
}

// DescribeAllowances returns a sentence for the user, or "" if there are none. Those that
// have been reset since are left out.
func DescribeAllowances(l []Allowance, now time.Time) string {
	var parts []string
	for _, a := range l {
		if !a.Resets.IsZero() && !a.Resets.After(now) {
			continue
		}
		part := fmt.Sprint(a.Remaining)
		if a.Limit > 0 {
			part += fmt.Sprintf(" of %d", a.Limit)
		}
		part += " " + a.Of
		if !a.Resets.IsZero() {
			part += fmt.Sprintf(" (all again in %s)", max(a.Resets.Sub(now).Round(time.Second), time.Second))
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return "By its last answer the provider still accepts " + strings.Join(parts, ", ") + "."
}
