// Package demo shows a whole task of emendo to someone without a key or a configured
// editor: with the editor of the tests, the real language server, a throw-away
// project with a bug, and a recorded model. It owns the script and its output, and
// knows the server only through its protocol.
package demo
