// Package policy decides whether a call is allowed, asked about or denied, and
// why. It owns the rules, their sources and priorities, and the user's
// permanent answers.
//
// Rules come in tiers. For each part of a call the highest tier with a matching
// rule decides: the administrator's, then the user's, then the built-in one;
// inside a tier the priority decides, then the strictest rule. A project's
// rules can only make the result stricter. The strictest decision about a part
// applies to the whole call. Calls that can do lasting harm need approval
// whatever the rules say, unless one of the user's rules names them.
//
// The package knows the effects that tools declare and the files that hold
// rules. It does not know sessions, tools or front ends, and it does not carry
// out anything.
package policy
