// Package rpc speaks JSON-RPC 2.0 with one peer over a pair of byte streams,
// framed by Content-Length headers (as LSP does) or by newlines (as ACP does).
//
// It owns the frames, the order of things, and what happens when something goes
// wrong: a message that cannot be read is answered and skipped, a handler that
// panics or fails costs its own request and nothing else, a peer that stops
// reading makes writers wait, and the end of the stream ends everything that runs
// on its behalf. It does not know what messages mean. The one method it knows is
// the one that cancels a request, and that a notification it cannot place may be ignored when
// its name begins with "$/".
//
// # Order
//
// Messages are taken one by one, in wire order, on one goroutine, the read loop.
// A notification is handled there to its end. A request is prepared there, so that
// it sees the state that the messages before it left, and then runs on a
// goroutine of its own. While the read loop is inside a handler nothing is read:
// a handler must not wait there for an answer of the peer (that would never
// come), but its [Work] may. What is sent leaves in the order in which Notify,
// Call and the answers were queued.
//
// # Requests with the same id
//
// A peer that sends a request under an id that is still in flight breaks the
// protocol. Both are served and both are answered, and a cancel under that id
// reaches both: no answer is lost and nothing runs on that cannot be stopped.
//
// # The library underneath
//
// Envelopes, ids and their encoding are go.lsp.dev/jsonrpc2's, params and results
// go.lsp.dev/protocol's. The library's own connection is not used: it ends on a
// malformed message, on a failing notification and on a panic, it recycles the
// context that a handler was given, and it keeps the channels on which calls wait
// in one pool for the whole process, which ends any program that has connections
// both inside and outside of a testing/synctest bubble.
package rpc
