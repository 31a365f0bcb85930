// Package oauth signs the user in to MCP servers with an address, keeps the tokens in
// private files, and renews them. A token goes to the server that it was issued for
// and to the authorization server that issued it, and nowhere else. The package does
// not know MCP, nor who shows addresses to the user.
package oauth
