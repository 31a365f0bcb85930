//go:build linux

package linux

import "golang.org/x/sys/unix"

// ForeignCalls is where the numbers of the x32 calls begin, which have the
// same architecture.
const (
	architecture = unix.AUDIT_ARCH_X86_64
	ForeignCalls = 0x40000000
)

// modeCallsHere are those that only this architecture has.
var modeCallsHere = []modeCall{{unix.SYS_CHMOD, 1, -1}, {unix.SYS_MKNOD, 1, -1}, {unix.SYS_CREAT, 1, -1}, {unix.SYS_OPEN, 2, 1}}

// RefusedHere are calls that only this architecture has.
var RefusedHere = []uintptr{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE, unix.SYS_USELIB}
