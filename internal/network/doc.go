// Package network builds the ways to servers: which proxy a request takes, which
// authorities are trusted, which hosts are shown a certificate of the user's, and what
// is wrong when TLS fails. It knows neither what is sent nor where settings come from.
//
// Nothing is read from the disk before the first request.
package network
