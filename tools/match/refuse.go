package match

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is why a change was refused.
type Kind string

// The kinds of refusal.
const (
	Missing  Kind = "missing"  // the passage is nowhere
	Many     Kind = "many"     // it is in several places
	NoChange Kind = "nochange" // nothing would change
	Elided   Kind = "elided"   // new_string leaves text out
	NotEmpty Kind = "notempty" // old_string is empty and the text is not
	Unclear  Kind = "unclear"  // found, but where new lines belong cannot be told
)

// Refusal says why nothing was changed, in words that the model can act on.
type Refusal struct {
	Kind   Kind
	Reason string // and what to do; nothing of the text is in it
	Quote  string // the nearest passage with its line numbers, and what differs
	Line   int    // where that is, from one; zero when nothing is quoted
}

func (r *Refusal) Error() string {
	if r.Quote == "" {
		return r.Reason
	}
	return r.Reason + "\n" + r.Quote
}

// How much of a text a refusal quotes.
const (
	quotedLines  = 14
	quotedPlaces = 4
	quotedBytes  = 240 // of one line
)

func (t *target) refuseEmpty() *Refusal {
	return &Refusal{
		NotEmpty, "old_string is empty, but the file has text, and an empty old_string only creates a file. Quote in old_string the lines " +
			"that change, or overwrite the whole file with write_file.",
		"The file begins:\n" + t.quote(0, 6), 1,
	}
}

func (t *target) refuseElision(old, elision string) *Refusal {
	no, count := t.nearest(parsePassage(old))
	return &Refusal{
		Elided, fmt.Sprintf("new_string leaves text out where it says %q, which would be written to the file as it stands. Write the text in full, "+
			"or quote fewer lines in old_string.", cut(elision)),
		"The nearest passage is:\n" + t.quote(no, count), no + 1,
	}
}

// refuseMany names the places, lines counted from zero, each of which is size
// lines long.
func (t *target) refuseMany(places []int, size int) *Refusal {
	count := fmt.Sprint(len(places))
	if len(places) > maxPlaces {
		count = fmt.Sprintf("more than %d", maxPlaces)
	}
	var b strings.Builder
	b.WriteString("The places are:\n")
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
		Many, fmt.Sprintf("old_string stands in %s places; nothing was changed. Quote more lines around the one that is meant, until a name or a number "+
			"tells it from the others (white space does not), or set allow_multiple to change all of them.", count),
		b.String(), places[0] + 1,
	}
}

func (t *target) refuseDepth(m *merging) *Refusal {
	first, last := m.file[0].no, m.file[len(m.file)-1].no
	return &Refusal{
		Unclear, fmt.Sprintf("old_string was found at lines %d to %d, but without its indentation it cannot be told how deep the new lines belong; "+
			"nothing was changed. Quote the lines with their white space.", first+1, last+1),
		"They are:\n" + t.quote(first, last-first+1), first + 1,
	}
}

func (t *target) refuseMissing(old, new string) *Refusal {
	if t.text == "" {
		return &Refusal{Kind: Missing, Reason: "old_string was not found: the file is empty. An empty old_string writes to it."}
	}
	o := parsePassage(old)
	reason := "old_string was not found; nothing was changed."
	if e := Elision(old); e != "" {
		reason += fmt.Sprintf(" It leaves text out where it says %q: quote every line of the passage, or a shorter passage.", cut(e))
	}
	if plain := strings.Trim(toLF(new), "\n"); strings.Contains(plain, "\n") && strings.Contains(toLF(t.text), plain) {
		reason += " The text of new_string stands in the file already."
	}
	no, count := t.nearest(o)
	return &Refusal{
		Missing, reason + " Read the file again if it may have changed, and quote its text exactly.",
		"The nearest passage is:\n" + t.quote(no, count) + t.difference(no, o), no + 1,
	}
}

// quote is lines of the text with their numbers.
func (t *target) quote(from, count int) string {
	var b strings.Builder
	end := min(from+count, len(t.lines))
	for no := from; no < end; no++ {
		if left := end - no; no-from >= quotedLines && left > 1 {
			fmt.Fprintf(&b, "(%d more lines)\n", left)
			break
		}
		fmt.Fprintf(&b, "%5d\t%s\n", no+1, cut(t.lines[no].body))
	}
	return b.String()
}

// cut shortens a line that is too long to quote.
func cut(s string) string {
	if len(s) <= quotedBytes {
		return s
	}
	end := quotedBytes
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + " (cut)"
}
