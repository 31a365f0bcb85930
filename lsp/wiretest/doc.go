// Package wiretest checks what goes over the wire between a client and the server. It
// owns the rules of the protocol: a server sends nothing that the client did not declare,
// in the types of LSP, and takes the focus only when the user asked for it. It records
// the wire of a real client with a [Tap], or reads it beside a test's connection. It knows
// neither the server nor any editor.
package wiretest
