package profile

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// catalogues are where the system's C library has its messages in other languages.
const catalogues = "/usr/share/locale/*/LC_MESSAGES/libc.mo"

// translations returns the C library's messages for these errors in all languages that are
// installed, in lower case. Programs of the machine have them from the same files.
var translations = sync.OnceValue(func() map[string][]string {
	files, _ := filepath.Glob(catalogues) // none: programs speak English
	all := map[string][]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, id := range []string{readOnly, busy, denied, notPermitted, missing, unreachable} {
			if s := translated(text, id); s != "" {
				all[id] = append(all[id], strings.ToLower(s))
			}
		}
	}
	return all
})

// Messages of the C library.
const (
	readOnly     = "Read-only file system"
	busy         = "Device or resource busy"
	denied       = "Permission denied"
	notPermitted = "Operation not permitted"
	missing      = "No such file or directory"
	unreachable  = "Network is unreachable"
)

// translated looks a message up in a catalogue of gettext: a header, then two tables of
// lengths and offsets, of the messages in order and of their translations. It returns the
// empty string if there is none.
func translated(catalogue []byte, message string) string {
	if len(catalogue) < 20 {
		return ""
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch order.Uint32(catalogue) {
	case 0x950412de:
	case 0xde120495:
		order = binary.BigEndian
	default:
		return ""
	}
	at := func(table uint32, n int) []byte {
		entry := uint64(order.Uint32(catalogue[table:])) + 8*uint64(n) //nolint:gosec // an index
		if entry+8 > uint64(len(catalogue)) {
			return nil
		}
		size, offset := uint64(order.Uint32(catalogue[entry:])), uint64(order.Uint32(catalogue[entry+4:]))
		if offset+size > uint64(len(catalogue)) {
			return nil
		}
		return catalogue[offset : offset+size]
	}
	const messages, others = 12, 16
	count := int(order.Uint32(catalogue[8:]))
	n := sort.Search(count, func(n int) bool { return bytes.Compare(at(messages, n), []byte(message)) >= 0 })
	if n == count || string(at(messages, n)) != message {
		return ""
	}
	return string(at(others, n))
}
