// Package proxy is the one way out of a sandbox whose commands may reach some
// hosts: an HTTP proxy in the server, on a listener in the sandbox.
//
// It looks a name up once and connects to the address that it has checked; it
// never reaches the machine itself or its own networks; and what goes through
// it names the host that was allowed. It does not know who allowed a host, nor
// what the bytes mean.
package proxy
