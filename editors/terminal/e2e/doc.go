// Package e2e drives the example client in a terminal, with the real server and a scripted
// model.
package e2e
