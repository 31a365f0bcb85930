package turn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
)

// allowing is a generator whose provider says what it still accepts.
type allowing struct{ model.Generator }

func (allowing) Allowances() []model.Allowance {
	return []model.Allowance{{Of: "requests", Remaining: 9, Limit: 10}}
}

func TestUsageShowsWhatTheProviderStillAccepts(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) {
			generator := o.Generator
			o.Generator = func(name string) (model.Generator, string, error) {
				g, short, err := generator(name)
				return allowing{g}, short, err
			}
		}
		w.Start()
		s := w.Session("")
		w.Prompt(s, "go")
		if got, want := w.Told(), []string{`quota_changed {"left":[{"of":"requests","remaining":9,"limit":10}]}`}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		w.Prompt(s, "/usage")
		if got := w.Shown(); !strings.Contains(got, "the provider still accepts 9 of 10 requests.") {
			t.Errorf("the answer is %q", got)
		}
	})
}
