package state

import (
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/model"
)

// A Budget limits the requests of a turn, including those of its subagents. It is
// checked before each request, so the last one may exceed it.
type Budget struct {
	Tokens int64   // of requests and answers; 0: no limit
	Cost   float64 // estimated, in US dollars; 0: no limit
}

// ErrBudget means that a request was not made because the turn's budget is used up.
var ErrBudget = errors.New("the turn's budget is used up")

// Spent describes how u uses up the budget; empty if it does not. A cost limit is
// also used up once the price of any token is unknown.
func (b Budget) Spent(u model.Usage) string {
	switch {
	case b.Tokens > 0 && u.Total >= b.Tokens:
		return fmt.Sprintf("%d tokens were used, and the limit is %d.", u.Total, b.Tokens)
	case b.Cost > 0 && u.Cost >= b.Cost:
		return fmt.Sprintf("The cost is about $%.4f, and the limit is $%.4f.", u.Cost, b.Cost)
	case b.Cost > 0 && u.Priced < u.Total:
		return fmt.Sprintf("The cost is limited to $%.4f, but the price of %d of %d tokens is unknown.", b.Cost, u.Total-u.Priced, u.Total)
	}
	return ""
}
