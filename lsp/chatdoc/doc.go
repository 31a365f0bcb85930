// Package chatdoc serves chat documents: Markdown files in which users of clients
// without emendo's panel converse with the agent. It sends their questions, writes
// the answers into the open document or its file, and offers what can be done in
// them. It owns what emendo writes there and no other text of them; package grammar
// knows their syntax, package render how events look in them.
package chatdoc
