// Package form turns what an MCP server wants to know from the user into questions,
// and the answers into the content that the server gets. It does not know who asks
// the questions.
package form
