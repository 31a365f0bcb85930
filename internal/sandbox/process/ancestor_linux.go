package process

import (
	"os"
	"strconv"
	"strings"
)

// Below reports whether a supervisor is among this process's ancestors: a command of
// emendo's has started it. Whatever a command leaves behind becomes the supervisor's.
func Below() bool {
	for pid, steps := os.Getppid(), 0; pid > 0 && steps < 1<<16; steps++ {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && strings.HasSuffix(string(text), "\x00"+supervisorArgument+"\x00") {
			return true
		}
		stat, ok := readStat(pid)
		if !ok {
			return false
		}
		pid = stat.parent
	}
	return false
}
