// Package complete answers emendo/prompt/complete: it completes what follows an @
// or a / in a prompt. It reads names from an index, and asks the client's own
// language servers for symbols. It does not send prompts; package briefing of the
// agent reads what they mention.
package complete
