package patch

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/tools/match"
)

// ranges matches the header of a hunk with numbers. They have at most eight digits.
var ranges = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^@@+ *-(\d{1,8})(?:,\d*)? +\+(\d{1,8})(?:,\d*)? *@@+ ?(.*)$`)
})

// header returns the first old line that the header of a hunk gives, from one, zero if
// none, and what else it has.
func header(l string) (line int, section string) {
	if m := ranges().FindStringSubmatch(l); m != nil {
		line, _ = strconv.Atoi(m[1])
		return line, strings.TrimSpace(m[3])
	}
	section = strings.TrimSpace(strings.Trim(l, "@"))
	if section == "..." || section == "…" || strings.HasPrefix(section, "-") && strings.Contains(section, " +") {
		return 0, ""
	}
	return 0, section
}

// unified reads a unified diff.
func unified(lines []string) ([]File, error) {
	text, names, err := repaired(lines)
	if err != nil {
		return nil, err
	}
	if names == 0 {
		return nil, errNone
	}
	found, err := diff.ParseUncounted(text)
	if err != nil {
		return nil, err
	}
	if len(found) != names {
		return nil, fmt.Errorf("it names %d files, of which %d can be read", names, len(found))
	}
	var files []File
	for _, d := range found {
		f, err := fileOf(d)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// repaired returns a diff that the parser reads whole: with numbers in the headers of
// hunks, and the space before unchanged lines that have lost it. names counts the files.
func repaired(lines []string) (text string, names int, err error) {
	var b strings.Builder
	put := func(l string) { b.WriteString(l + "\n") }
	hunk, git := false, false // in a hunk; in what git says of a file
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "diff --git "):
			hunk, git = false, true
			names++
			put(l)
		case isNames(lines[i:]) && (!hunk || i+2 < len(lines) && strings.HasPrefix(lines[i+2], "@@")):
			if !git {
				names++
			}
			hunk, git = false, false
			put(untimed(l))
			put(untimed(lines[i+1]))
			i++
		case strings.HasPrefix(l, "@@"):
			if names == 0 {
				return "", 0, fmt.Errorf("line %d: the hunk %q is of no file: begin the file with --- PATH and +++ PATH", i+1, shorten(l))
			}
			hunk = true
			line, section := header(l)
			put(strings.TrimSuffix(fmt.Sprintf("@@ -%d,1 +%d,1 @@ %s", line, line, section), " "))
		case hunk && signature(lines[i:]):
			hunk = false
		case hunk && (isBody(l) || strings.HasPrefix(l, `\ No newline`)):
			put(l)
		case hunk && l == "":
			if hunkContinues(lines[i:]) {
				put(" ")
			}
		case hunk && hunkContinues(lines[i:]):
			put(" " + l)
		case hunk:
			hunk = false
		case git && strings.HasPrefix(l, "rename from ") && !strings.Contains(b.String()[strings.LastIndex(b.String(), "diff --git "):], "similarity index"):
			put("similarity index 100%") // without it the parser sees no rename
			put(l)
		case git && l != "":
			if strings.HasPrefix(l, "Binary files ") || strings.HasPrefix(l, "GIT binary patch") {
				return "", 0, fmt.Errorf("line %d: a patch of a binary file cannot be applied", i+1)
			}
			put(l)
		}
	}
	return b.String(), names, nil
}

// signature reports whether lines are the end that git writes under a patch in a mail.
func signature(lines []string) bool {
	return strings.TrimRight(lines[0], " ") == "--" && !hunkContinues(lines[1:])
}

// untimed returns a line with a name without the time that follows.
func untimed(l string) string {
	name, _, _ := strings.Cut(l, "\t")
	return strings.TrimRight(name, " ")
}

const none = "/dev/null"

func fileOf(d diff.File) (File, error) {
	f := File{}
	for _, l := range d.Extended {
		switch {
		case strings.HasPrefix(l, "copy from "):
			return File{}, fmt.Errorf("the copy of %s: a patch cannot copy a file; add the new file with its whole text", strings.TrimPrefix(l, "copy from "))
		case strings.HasPrefix(l, "rename to "):
			f.To = strings.TrimPrefix(l, "rename to ")
		case strings.HasPrefix(l, "rename from "):
			f.Path = strings.TrimPrefix(l, "rename from ")
		}
	}
	old, new := d.OldName, d.NewName
	a, gitOld := unprefixed(old)
	b, gitNew := unprefixed(new)
	git := (gitOld || old == none) && (gitNew || new == none)
	if git {
		old, new, a, b = a, b, old, new
	}
	switch {
	case f.To != "":
		f.Path = cmp.Or(f.Path, old)
	case d.OldName == none:
		f.Op, f.Path = Add, new
		for _, h := range d.Hunks {
			f.Text += h.NewText
		}
	case d.NewName == none:
		f.Op, f.Path, f.Others = Delete, old, []string{a}
	default:
		f.Path, f.Others = new, []string{old, b, a}
	}
	if f.Path == "" {
		return File{}, errors.New("it has a file without a name")
	}
	if f.Op != Update {
		return f, nil
	}
	for _, h := range d.Hunks {
		k := match.Hunk{Old: h.OldText, New: h.NewText, Line: h.OldLine}
		if h.Section != "" {
			k.After = []string{h.Section}
		}
		f.Hunks = append(f.Hunks, k)
	}
	if f.To == "" && len(f.Hunks) == 0 {
		return File{}, fmt.Errorf("%s: no hunk changes it", f.Path)
	}
	return f, nil
}
