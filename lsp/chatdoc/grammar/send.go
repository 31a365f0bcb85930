package grammar

import (
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// New returns the text of a new document. The session may be empty: then sending
// adds it.
func New(session string) string {
	text := "## You\n\n"
	if session != "" {
		text = "---\n" + sessionLine(session) + "---\n\n" + text
	}
	return text
}

func sessionLine(id string) string { return "session: " + id + "\n" }

// Question returns the text of the input, without blank lines around it; false if
// there is no input or nothing in it.
func (d Document) Question() (string, bool) {
	start, ok := d.Input()
	if !ok {
		return "", false
	}
	question := trimBlank(d.text[start:])
	return question, question != ""
}

// Input returns where the text of the input starts; it ends with the document.
// Without a heading the whole document is the input.
func (d Document) Input() (start int, ok bool) {
	n := len(d.Sections)
	switch {
	case n == 0:
		return d.front.end, true
	case d.Sections[n-1].Speaker == You:
		return d.Sections[n-1].Body, true
	}
	return 0, false
}

// trimBlank removes blank lines at the start, and white space at the end.
func trimBlank(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	for text != "" {
		l := line(text, 0)
		if strings.TrimSpace(l) != "" {
			break
		}
		text = text[len(l):]
	}
	return text
}

// Send returns the edit that records that the question was sent: it inserts the
// session and the heading where they are missing, and after the question a section
// for the answer and one for the next question. It returns false if there is no question.
func (d Document) Send(session string) (splices []ide.Splice, ok bool) {
	question, ok := d.Question()
	if !ok {
		return nil, false
	}
	splices = d.Name(session)
	if len(d.Sections) == 0 {
		at := d.front.end + strings.Index(d.text[d.front.end:], question)
		heading := BlankLine(d.text[:at]) + "## You\n\n"
		if at == 0 && len(splices) > 0 { // one edit, since both are at the start
			splices[0].Text += heading
		} else {
			splices = append(splices, ide.Splice{A: at, B: at, Text: heading})
		}
	}
	if d.joined {
		at := d.Sections[len(d.Sections)-1].Body
		splices = append(splices, ide.Splice{A: at, B: at, Text: "\n\n"})
	}
	end := BlankLine(d.text) + Open(question)
	return append(splices, ide.Splice{A: len(d.text), B: len(d.text), Text: end + "## emendo\n\n## You\n\n"}), true
}

// Name returns the edit that adds the session to the front matter, unless that names
// one.
func (d Document) Name(session string) []ide.Splice {
	switch {
	case d.Session != "" || session == "":
		return nil
	case d.front.end > 0:
		return []ide.Splice{{A: d.front.keys, B: d.front.keys, Text: sessionLine(session)}}
	}
	return []ide.Splice{{Text: "---\n" + sessionLine(session) + "---\n\n"}}
}

// BlankLine returns what a text lacks to end with a blank line.
func BlankLine(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch {
	case text == "" || strings.HasSuffix(text, "\n\n"):
		return ""
	case strings.HasSuffix(text, "\n"):
		return "\n"
	}
	return "\n\n"
}
