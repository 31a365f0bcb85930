// Package turnhooks runs the user's hooks at the events of a turn, shows what they
// did, and records how they end the turn. It does not know how hooks run or how the
// turn continues.
package turnhooks
