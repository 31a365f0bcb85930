//go:build unix

package process

import "syscall"

// noControl keeps a terminal that is opened from becoming the server's own.
const noControl = syscall.O_NOCTTY
