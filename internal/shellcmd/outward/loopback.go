package outward

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// here matches an address of one of this machine's servers: what programs read in different
// ways is not among them.
var here = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:https?://)?(?i:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::[0-9]{1,5})?(?:[/?#][^\s\\@]*)?$`)
})

// Options of curl and wget that do not choose what they connect to: those with a value,
// and those without. A letter is a short option.
var (
	curlTakes = strings.Fields(`X request d data data-raw data-binary data-urlencode json H header o output w write-out m max-time connect-timeout A user-agent
		u user F form b cookie c cookie-jar e referer T upload-file retry retry-delay retry-max-time url-query D dump-header`)
	curlFlags = strings.Fields(`s silent S show-error L location f fail fail-with-body i include I head v verbose k insecure N no-buffer G get g globoff 4 ipv4 6 ipv6
		O remote-name compressed http1.1 http2 retry-connrefused retry-all-errors no-progress-meter`)
	wgetTakes = strings.Fields(`O output-document o output-file P directory-prefix T timeout t tries U user-agent w wait header post-data post-file method body-data body-file`)
	wgetFlags = strings.Fields(`q quiet v verbose nv no-verbose S server-response spider 4 6 no-check-certificate content-on-error retry-connrefused no-proxy`)
)

// Local reports whether a call of curl or wget names only addresses of this machine. An option
// that it does not know has no value, or one that is no such address.
func (c Call) Local() bool {
	switch c.name {
	case "curl":
		return local(c.words, curlTakes, curlFlags)
	case "wget":
		return local(c.words, wgetTakes, wgetFlags)
	}
	return false
}

func local(l []program.Word, takes, flags []string) bool {
	found := false
	for i := 0; i < len(l); i++ {
		w := l[i]
		if !w.Known {
			return false
		}
		name, long := strings.CutPrefix(w.Text, "--")
		switch {
		case long:
			name, _, attached := strings.Cut(name, "=")
			if attached && !slices.Contains(flags, name) && !slices.Contains(takes, name) {
				return false
			}
			if slices.Contains(takes, name) && !attached {
				i++
			}
		case len(w.Text) > 1 && w.Text[0] == '-':
			if slices.Contains(flags, w.Text[1:]) { // as "-nv" of wget
				continue
			}
			known, last := shortOptions(w.Text[1:], takes, flags)
			if !known {
				return false
			}
			if last {
				i++
			}
		case !here().MatchString(w.Text):
			return false
		default:
			found = true
		}
	}
	return found
}

// shortOptions reports whether all letters of a word are known options, and whether the
// last one takes the next word.
func shortOptions(letters string, takes, flags []string) (known, next bool) {
	for i := range len(letters) {
		letter := letters[i : i+1]
		if slices.Contains(takes, letter) {
			return true, i == len(letters)-1
		}
		if !slices.Contains(flags, letter) {
			return false, false
		}
	}
	return true, false
}
