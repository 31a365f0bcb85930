// Package code holds the tools that ask language servers: for problems, references,
// definitions, documentation, symbols, and for renaming a symbol. It knows the
// requests and answers of LSP. It does not know who answers: a server of emendo's
// own, or the editor for those that it runs.
package code
