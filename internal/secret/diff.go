package secret

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// withheld stands in place of what a diff has of a file with secrets.
const withheld = "(left out: this file may contain secrets)"

// Diff returns a unified diff of any program without the content of files that
// hold secrets, by their names, also earlier ones, or by their content. It keeps
// one line of each of these, and returns their number.
func Diff(diff string) (shown string, left int) {
	var b strings.Builder
	for _, file := range filesOf(diff) {
		if !file.secret() {
			for _, line := range file.lines {
				b.WriteString(line)
			}
			continue
		}
		left++
		name := strings.TrimRight(file.lines[0], "\r\n")
		b.WriteString(name + "\n" + withheld + "\n")
	}
	return b.String(), left
}

// diffOf is the part of a diff about one file.
type diffOf struct {
	lines []string // with their ends
	hunks int      // the index of the first hunk
}

var (
	// hunk matches the header of a hunk, with its counts of lines.
	hunk = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)
	// first matches the first line of what git says of a file.
	first = regexp.MustCompile(`^(diff --(git|cc|combined) |Index: )`)
	// naming matches lines with the name of one file.
	naming = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:---|\+\+\+|rename from|rename to|copy from|copy to|diff --cc|diff --combined|Index:) (.*)$`)
	})
)

// filesOf cuts a diff into files. Lines inside of hunks are counted, so that none
// of them passes for the header of another file.
func filesOf(diff string) []diffOf {
	var files []diffOf
	begin := func() { files = append(files, diffOf{hunks: -1}) }
	old, new := 0, 0 // lines left in a hunk
	begun := false   // by git's own first line
	for line := range strings.Lines(diff) {
		content := (old > 0 || new > 0) && strings.ContainsAny(line[:1], " +-\\\r\n")
		switch {
		case content:
			switch line[0] {
			case '+':
				new--
			case '-':
				old--
			case '\\':
			default:
				old, new = old-1, new-1
			}
		case first.MatchString(line):
			begin()
			old, new, begun = 0, 0, true
		case strings.HasPrefix(line, "--- ") && !begun:
			begin()
		}
		if len(files) == 0 {
			begin()
		}
		f := &files[len(files)-1]
		if m := hunk.FindStringSubmatch(line); m != nil && !content {
			old, new, begun = count(m[1]), count(m[2]), false
		}
		if f.hunks < 0 && strings.HasPrefix(line, "@@") {
			f.hunks = len(f.lines)
		}
		f.lines = append(f.lines, line)
	}
	return files
}

// count returns the number of lines in the header of a hunk, which is left out for
// one.
func count(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// secret reports whether a file holds secrets, as far as its diff tells.
func (d diffOf) secret() bool {
	header, body := d.lines, []string(nil)
	if d.hunks >= 0 {
		header, body = d.lines[:d.hunks], d.lines[d.hunks:]
	}
	names := namesIn(header)
	if slices.ContainsFunc(names, Named) {
		return true
	}
	var text strings.Builder
	for _, line := range body {
		if strings.ContainsAny(line[:1], " +-") {
			line = line[1:]
		}
		text.WriteString(line)
	}
	return slices.ContainsFunc(append(names, ""), func(name string) bool { return Held(name, []byte(text.String())) })
}

// namesIn returns the names of a file in the lines before its first hunk, with
// prefixes such as a/. A first line alone does not tell where one name ends: then
// every part of it counts.
func namesIn(header []string) (names []string) {
	both := ""
	for _, line := range header {
		line = strings.TrimRight(line, "\r\n")
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			both = rest
		} else if m := naming().FindStringSubmatch(line); m != nil {
			name, _, _ := strings.Cut(m[1], "\t") // a time stands behind it
			if name = unquoted(name); name != "/dev/null" {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 || both == "" {
		return names
	}
	if half := len(both) / 2; len(both)%2 == 1 && both[half] == ' ' {
		_, a, _ := strings.Cut(both[:half], "/")
		if _, b, ok := strings.Cut(both[half+1:], "/"); ok && a == b {
			return []string{unquoted(both[:half])}
		}
	}
	for i, c := range both {
		if c == ' ' {
			names = append(names, unquoted(both[:i]), unquoted(both[i+1:]))
		}
	}
	return names
}

// unquoted returns a name as it is, which git quotes as C does.
func unquoted(name string) string {
	if s, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return s
	}
	return strings.Trim(name, `"`)
}

// maxDiff bounds a diff for a model, in bytes.
const maxDiff = 100_000

// shortened begins the last line of a diff that was cut.
const shortened = "\n(the rest is left out: the diff has "

// Shortened reports whether [ShortDiff] has cut a diff.
func Shortened(diff string) bool {
	return len(diff) > maxDiff && strings.Contains(diff[len(diff)-100:], shortened)
}

// ShortDiff is [Diff] for a diff that is sent to a model: it is cut at 100,000
// bytes, and ends with a line that says so.
func ShortDiff(diff string) (shown string, left int) {
	shown, left = Diff(diff)
	if len(shown) > maxDiff {
		all := len(shown)
		shown = strings.ToValidUTF8(shown[:maxDiff], "") + fmt.Sprintf(shortened+"%d bytes)\n", all)
	}
	return shown, left
}

// FilesOf returns the names of the files of a diff, as they are now.
func FilesOf(diff string) (names []string) {
	for _, f := range filesOf(diff) {
		header := f.lines
		if f.hunks >= 0 {
			header = f.lines[:f.hunks]
		}
		if l := namesIn(header); len(l) > 0 {
			name := l[len(l)-1]
			if rest, ok := strings.CutPrefix(name, "b/"); ok {
				name = rest
			} else { // of a file that is gone
				name = strings.TrimPrefix(name, "a/")
			}
			names = append(names, name)
		}
	}
	return names
}
