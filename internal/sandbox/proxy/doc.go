// Package proxy lets commands in a sandbox reach some hosts: an HTTP proxy in
// the server, on a listener in the sandbox.
//
// It resolves a name once and connects to the address that it has checked. It
// never connects to the machine itself or its local networks, and only passes
// on connections that name an allowed host. It does not know who allowed a
// host, or interpret what is sent.
package proxy
