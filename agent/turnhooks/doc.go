// Package turnhooks runs the user's hooks around what happens in a turn, shows what
// they did, and records how they end it. It does not know how hooks run, or how the
// turn goes on.
package turnhooks
