// Package e2e drives a real Neovim with the plugin, the built server and a
// strict model on loopback, as a person would: keys go in, the screen, the
// buffers and every message between editor and server come out. It owns the
// pictures in docs/images, which it takes itself. It knows nothing of how the
// server or the plugin are made, and it is all tests, behind the build tag
// editors:
//
//	make test-editors
package e2e
