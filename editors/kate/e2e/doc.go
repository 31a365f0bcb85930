// Package e2e drives a real Kate on an X server of its own, set up as docs/kate.md says, as
// a user does. It is all tests behind the build tag kate:
//
//	make kate
package e2e
