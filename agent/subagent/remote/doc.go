// Package remote hands tasks to agents that answer over HTTP by the Agent2Agent
// protocol. It owns the connection: where requests go, which of them carry a
// credential, and how much of an answer is kept. It knows neither sessions nor how
// users are asked, and it trusts nothing that an agent says.
package remote
