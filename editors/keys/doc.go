// Package keys writes docs/keys.md, the table of keys and commands of all editors, from
// where they are defined: the manifest of the extension, the plugins and the pages. It is
// all tests:
//
//	go test ./editors/keys -update
package keys
