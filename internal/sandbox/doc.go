// Package sandbox starts every child process: what it runs, with which
// environment, and what may be reached from it. It ends whole process trees.
//
// It does not know what a command means, nor who allowed it.
package sandbox
