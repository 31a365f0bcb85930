//go:build testhooks

package main

import "os"

// In a program that is built for tests, the environment sets what only tests may.
func init() {
	inspectable = os.Getenv("EMENDO_TEST_LOOK") != ""
	onlyLevel = os.Getenv("EMENDO_TEST_SANDBOX")
	onlyServer = os.Getenv("EMENDO_TEST_WEB")
}
