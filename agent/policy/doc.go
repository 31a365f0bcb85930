// Package policy decides what a call may do: it is allowed, asked about or
// denied, and why. It owns the rules, where they come from, which of them
// counts, and the answers of the user that last.
//
// Rules come in tiers. For each part of a call the highest tier that has a
// matching rule decides: the administrator's, then the user's, then what is
// built in; inside a tier the priority, then the strictest. A project's rules
// only make the result stricter. Between the parts of a call the strictest
// decides. What can do lasting harm is asked about whatever the rules say,
// unless one of the user's names it.
//
// The package knows the effects that tools declare and the files that hold
// rules. It knows no session, no tool and no front end, and it does nothing
// that it decides about.
package policy
