package state_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
)

func TestBudget(t *testing.T) {
	used := model.Usage{Total: 100, Priced: 100, Cost: 0.25}
	tests := []struct {
		name   string
		budget state.Budget
		used   model.Usage
		want   string
	}{
		{name: "none", used: used},
		{name: "nothing used", budget: state.Budget{Tokens: 1, Cost: 0.01}},
		{name: "below both", budget: state.Budget{Tokens: 101, Cost: 0.26}, used: used},
		{name: "as many tokens", budget: state.Budget{Tokens: 100}, used: used, want: "100 tokens were used, and the limit is 100."},
		{name: "as much money", budget: state.Budget{Cost: 0.25}, used: used, want: "The cost is about $0.2500, and the limit is $0.2500."},
		{name: "an unknown price", budget: state.Budget{Cost: 9}, used: model.Usage{Total: 100, Priced: 60}, want: "The cost is limited to $9.0000, but the price of 40 of 100 tokens is unknown."},
		{name: "an unknown price without a limit of cost", budget: state.Budget{Tokens: 101}, used: model.Usage{Total: 100}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.budget.Spent(tt.used); got != tt.want {
				t.Errorf("spent: %q, want %q", got, tt.want)
			}
		})
	}
}
