// Package e2e drives a real Helix, set up as docs/helix.md says, as a user does
// who has no plugin. It is all tests behind the build tag editors:
//
//	make test-editors
package e2e
