// Package gate decides what a call may do: it is the one place where an effect
// is allowed, asked about or denied. A [Gate] belongs to a session and keeps the
// user's answers; a [Turn] is the gate of one turn, with the rules as they were
// when the turn began.
//
// The rules themselves are package policy's. The gate adds what no rule can
// lift: containment of untrusted content, commands that cannot work in the
// sandbox, and approval of the programs that a folder's settings name. It knows
// no tool and no front end, and it does not run or record anything.
package gate
