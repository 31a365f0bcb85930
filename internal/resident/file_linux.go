package resident

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapFile unmaps the pages of the program's code and constants. Linux maps 64 KiB
// and more around each address when it is first used (do_fault_around in mm/memory.c),
// so that initialising some hundred packages leaves most of the file mapped. A page
// that is used again is mapped again from the page cache, which takes microseconds.
func unmapFile() error {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer maps.Close()
	found, err := unchanged(maps, self)
	if err != nil {
		return fmt.Errorf("read /proc/self/smaps: %w", err)
	}
	for _, m := range found {
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("unmap the pages of %s: %w", self, errno)
		}
	}
	return nil
}

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// unchanged returns the mappings of a file, from a table in the format of
// /proc/PID/smaps (proc(5)), that cannot be written and have no page of their own. The
// loader of a position-independent program, or a debugger, may have changed a page;
// unmapping it would lose the change.
func unchanged(smaps io.Reader, file string) ([]mapping, error) {
	var found []mapping
	var current *mapping // the mapping of the file that the lines describe
	s := bufio.NewScanner(smaps)
	for s.Scan() {
		var m mapping
		var access, offset, device string
		var inode uint64
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x %s %s %s %d", &m.start, &m.end, &access, &offset, &device, &inode); n == 6 {
			current = nil
			if strings.HasSuffix(s.Text(), " "+file) && access[1] == '-' {
				current = &m
			}
			continue
		}
		var own int64 // KiB
		if n, _ := fmt.Sscanf(s.Text(), "Anonymous: %d kB", &own); n == 1 && own == 0 && current != nil {
			found = append(found, *current)
		}
	}
	return found, s.Err()
}
