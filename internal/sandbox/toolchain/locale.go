package toolchain

import (
	"regexp"
	"runtime"
)

// inUTF8 matches the name of a locale whose characters are UTF-8.
var inUTF8 = regexp.MustCompile(`(?i)^[a-z0-9_]+\.utf-?8(@[a-z0-9]+)?$`)

// locale returns LC_ALL for commands: the server's locale if it is in UTF-8, else one
// that is. In other encodings, such as GBK and Shift JIS, the last byte of a character
// can be a backslash, so that a shell would read a command differently from how it was
// analysed.
func locale(server map[string]string) string {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := server[name]; v != "" {
			if inUTF8.MatchString(v) {
				return v
			}
			break
		}
	}
	if runtime.GOOS == "darwin" {
		return "en_US.UTF-8" // it has no C.UTF-8 before version 15
	}
	return "C.UTF-8"
}
