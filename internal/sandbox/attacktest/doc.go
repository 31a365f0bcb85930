// Package attacktest tests sandboxes by attacking them: a command tries everything that
// a sandbox must not let it do, on files, sockets and processes that belong to the test.
package attacktest
