// Package a2a serves emendo to other agents by the Agent2Agent protocol, version
// 0.3, over HTTP. A context of the protocol is a session, and a task is a turn of
// it. What the agent asks ends the stream with the state input-required; the next
// message of the task answers it. The package knows the wire and the requests'
// token. It knows neither the command line nor how sessions work.
package a2a
