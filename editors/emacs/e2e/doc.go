// Package e2e drives a real Emacs with eglot, set up as docs/emacs.md says, as a
// user does. It is all tests behind the build tag editors:
//
//	make test-editors
package e2e
