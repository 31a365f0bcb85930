//go:build unix

package process

import "syscall"

// noControl prevents a terminal from becoming the server's controlling terminal.
const noControl = syscall.O_NOCTTY
