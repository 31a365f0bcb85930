// Package tracker has the tools with which the model keeps a list of tasks that
// depend on each other. The list is a value: each call that changes it declares the
// whole new one, which the session records and the user sees as its plan. The
// package keeps nothing.
package tracker
