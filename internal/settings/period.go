package settings

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

// Period is a long time, written as a number and h, d, w or m: hours, days,
// weeks, months of 30 days. Zero is written as nothing.
type Period time.Duration

var periodForm = regexp.MustCompile(`^([1-9][0-9]{0,3})([hdwm])$`)

var periodUnits = map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "m": 30 * 24 * time.Hour}

// parsePeriod reads a period.
func parsePeriod(s string) (Period, error) {
	if s == "" {
		return 0, nil
	}
	m := periodForm.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is no period such as 12h, 30d, 2w or 6m", s)
	}
	n, err := strconv.Atoi(m[1])
	unit := periodUnits[m[2]]
	return Period(unit * min(time.Duration(n), math.MaxInt64/unit)), err
}
