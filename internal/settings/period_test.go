package settings

import (
	"testing"
	"time"
)

func TestPeriods(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "12h": 12 * time.Hour, "1d": 24 * time.Hour, "2w": 14 * 24 * time.Hour, "6m": 180 * 24 * time.Hour,
	} {
		if p, err := parsePeriod(text); err != nil || time.Duration(p) != want {
			t.Errorf("%q is %s, %v, want %s", text, time.Duration(p), err, want)
		}
	}
	for _, text := range []string{"0d", "-1d", "d", "30", "30 d", "30y", "1.5d", "100000h"} {
		if p, err := parsePeriod(text); err == nil {
			t.Errorf("%q is %s", text, time.Duration(p))
		}
	}
}
