//go:build testhooks

package main

import "os"

// In a program built for tests, the environment sets the test hooks.
func init() {
	inspectable = os.Getenv("EMENDO_TEST_LOOK") != ""
	onlyLevel = os.Getenv("EMENDO_TEST_SANDBOX")
	onlyServer = os.Getenv("EMENDO_TEST_WEB")
}
