package client

import (
	"strings"
	"time"
)

// known are the clients that can do other things than they declare, by their names in lower
// case. It is the only place that looks at the name, and the only exception to the rule
// that nothing is sent that the client did not declare.
var known = map[string]func(*Abilities){
	"helix": func(a *Abilities) {
		a.Symbols = true      // it shows them
		a.HidesErrors = true  // it writes those of commands to its log alone
		a.Reloads = a.Watches // it says so of its own writes and reloads, and watches nothing
	},
	"kate": func(a *Abilities) {
		a.ApplyEdit = true
		// It takes edits for two seconds after it has sent a command. Some of them are the
		// way here, and back.
		a.EditsFor = 1700 * time.Millisecond
	},
	"qt creator": func(a *Abilities) {
		a.HidesHints = true // it draws warnings and errors alone
	},
	"vim-lsp": func(a *Abilities) {
		a.HidesInfo = true // it shows warnings and errors alone unless it is told otherwise
	},
}

// know adds what is known of the client with a name to what it declared.
func (a *Abilities) know(name string) {
	if add := known[strings.ToLower(name)]; add != nil {
		add(a)
	}
}
