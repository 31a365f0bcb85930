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

var hoursOf = map[string]int64{"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}

// parsePeriod reads a period. One that is longer than a duration can be is the
// longest.
func parsePeriod(s string) (Period, error) {
	if s == "" {
		return 0, nil
	}
	m := periodForm.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is no period such as 12h, 30d, 2w or 6m", s)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	hours := min(n*hoursOf[m[2]], int64(math.MaxInt64/time.Hour))
	return Period(time.Duration(hours) * time.Hour), err
}
