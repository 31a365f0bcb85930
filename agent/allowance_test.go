package agent_test

import (
	"slices"
	"strings"
	"testing"

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
	inWorld(t, nil, []modeltest.Reply{done()}, func(t *testing.T, w *world) {
		w.stop()
		w.options = func(o *state.Options) {
			generator := o.Generator
			o.Generator = func(name string) (model.Generator, string, error) {
				g, short, err := generator(name)
				return allowing{g}, short, err
			}
		}
		w.start()
		s := w.session("")
		w.prompt(s, "go")
		if got, want := w.told(), []string{`quota_changed {"left":[{"of":"requests","remaining":9,"limit":10}]}`}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		w.prompt(s, "/usage")
		if got := w.shown(); !strings.Contains(got, "the provider still accepts 9 of 10 requests.") {
			t.Errorf("the answer is %q", got)
		}
	})
}
