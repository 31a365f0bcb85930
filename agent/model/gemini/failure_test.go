package gemini

import (
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestDailyQuotasResetAtMidnightPacific(t *testing.T) {
	for _, tt := range []struct{ name, now, want string }{
		{"in the morning", "2026-01-15T17:00:00Z", "2026-01-16T08:00:00Z"},
		{"in the evening, when it is tomorrow elsewhere", "2026-01-16T07:59:00Z", "2026-01-16T08:00:00Z"},
		{"at midnight", "2026-01-16T08:00:00Z", "2026-01-17T08:00:00Z"},
		{"in summer", "2026-07-15T17:00:00Z", "2026-07-16T07:00:00Z"},
		{"on the day on which summer time begins", "2026-03-08T09:00:00Z", "2026-03-09T07:00:00Z"},
		{"on the last day of a month", "2026-04-30T17:00:00Z", "2026-05-01T07:00:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, tt.now)
			if err != nil {
				t.Fatal(err)
			}
			if got := nextDay(now).Format(time.RFC3339); got != tt.want {
				t.Errorf("at %s, want %s", got, tt.want)
			}
		})
	}
}

// A 403 that is not the API's says nothing of the model: no other one is tried.
func TestAPlainRefusalIsOfTheCaller(t *testing.T) {
	if kind := parseFailure(403, []byte("Forbidden")).kind(); kind != model.Auth {
		t.Errorf("it is %s", kind)
	}
}
