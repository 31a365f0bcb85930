// Package language has what language servers add to a session: tools that ask them,
// and the check of an edit before the user sees it. It decides who is asked, the
// editor for its own servers or a server of emendo's, and whether one may be started.
// It does not speak LSP itself.
package language
