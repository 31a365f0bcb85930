package match

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the reason for a refusal.
type Kind string

// The kinds of refusal.
const (
	Missing  Kind = "missing"  // the passage was not found
	Many     Kind = "many"     // it matches several places
	NoChange Kind = "nochange" // nothing would change
	NotEmpty Kind = "notempty" // old_string is empty and the text is not
	Unclear  Kind = "unclear"  // found, but the indentation of new lines is unknown
)

// A Refusal explains to the model why nothing was changed, and what to do.
type Refusal struct {
	Kind   Kind
	Reason string // and what to do; has nothing of the text
	Quote  string // the nearest passage with line numbers, and the difference
	Line   int    // of the quote, from one; may be zero
}

func (r *Refusal) Error() string {
	if r.Quote == "" {
		return r.Reason
	}
	return r.Reason + "\n" + r.Quote
}

// Limits of a quote.
const (
	quotedLines  = 14
	quotedPlaces = 4
	quotedBytes  = 240 // of one line
)

func (t *target) refuseEmpty() *Refusal {
	return &Refusal{
		NotEmpty, "old_string is empty, which creates a file, but the file already has text. Quote the lines to change in old_string, " +
			"or overwrite the whole file with write_file.",
		"The file begins with:\n" + t.quote(0, 6), 1,
	}
}

// refuseMany lists the places, by lines counted from zero, each of which has size
// lines.
func (t *target) refuseMany(places []int, size int) *Refusal {
	count := fmt.Sprint(len(places))
	if len(places) > maxPlaces {
		count = fmt.Sprintf("more than %d", maxPlaces)
	}
	var b strings.Builder
	b.WriteString("Matches:\n")
	for i, no := range places {
		if i == quotedPlaces {
			fmt.Fprintf(&b, "and %d more\n", len(places)-i)
			break
		}
		if i > 0 {
			b.WriteString("--\n")
		}
		from := max(0, no-2)
		b.WriteString(t.quote(from, no-from+min(size, 3)))
	}
	return &Refusal{
		Many, fmt.Sprintf("old_string matches %s places; nothing was changed. Add surrounding lines until it is unique "+
			"(white space does not count), or set allow_multiple to change every match.", count),
		b.String(), places[0] + 1,
	}
}

func (t *target) refuseDepth(m *merging) *Refusal {
	first, last := m.file[0].no, m.file[len(m.file)-1].no
	return &Refusal{
		Unclear, fmt.Sprintf("old_string matches lines %d to %d, but without their indentation it is unclear how to indent the new lines; "+
			"nothing was changed. Quote the lines with their white space.", first+1, last+1),
		"The lines:\n" + t.quote(first, last-first+1), first + 1,
	}
}

func (t *target) refuseMissing(old, new string) *Refusal {
	if t.text == "" {
		return &Refusal{Kind: Missing, Reason: "old_string was not found: the file is empty. To write to it, pass an empty old_string."}
	}
	o := parsePassage(old)
	reason := "old_string was not found; nothing was changed."
	if e := firstElision(old); e != "" {
		reason += fmt.Sprintf(" It has the placeholder %q: quote every line of the passage, or a shorter passage.", shorten(e))
	}
	if plain := strings.Trim(withLineFeeds(new), "\n"); strings.Contains(plain, "\n") && strings.Contains(withLineFeeds(t.text), plain) {
		reason += " The file already has the text of new_string."
	}
	no, count := t.nearest(o)
	return &Refusal{
		Missing, reason + " Read the file again if it may have changed, and quote its text exactly.",
		"Nearest passage:\n" + t.quote(no, count) + t.difference(no, o), no + 1,
	}
}

// quote returns lines of the text with their numbers.
func (t *target) quote(from, count int) string {
	var b strings.Builder
	end := min(from+count, len(t.lines))
	for no := from; no < end; no++ {
		if left := end - no; no-from >= quotedLines && left > 1 {
			fmt.Fprintf(&b, "(%d more lines)\n", left)
			break
		}
		fmt.Fprintf(&b, "%5d\t%s\n", no+1, shorten(t.lines[no].body))
	}
	return b.String()
}

// shorten shortens a line that is too long to quote.
func shorten(s string) string {
	if len(s) <= quotedBytes {
		return s
	}
	end := quotedBytes
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + " (cut)"
}
