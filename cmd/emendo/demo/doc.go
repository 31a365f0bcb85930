// Package demo plays emendo's whole job for someone who has neither a key nor
// an editor set up: a small editor of its own, the real language server, a
// throw-away project with a bug in it, and a recorded model. It owns the story,
// that editor and what it prints. It knows the server by its wire alone.
package demo
