// Package preview translates between version 1 of the protocol, which the rest of acp
// speaks, and the preview of version 2, as version 2.4.0 of the official TypeScript library
// has it. It owns the differences of the two on the wire and knows no session.
package preview
