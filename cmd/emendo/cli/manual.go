package cli

import (
	"fmt"
	"strings"
)

// A Section is a part of the manual that the table of commands does not have.
type Section struct {
	Title string
	Items [][2]string // a term and what it means
}

// Manual returns the program's manual page, for man(1).
func (c Command) Manual(version string, sections ...Section) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s %s\" \"User Commands\"\n", strings.ToUpper(c.Name), c.Name, roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", c.Name, roff(c.Summary))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I COMMAND\n[FLAGS] [ARGUMENTS]\n", c.Name)
	b.WriteString(".SH COMMANDS\n")
	for _, s := range c.visible() {
		s.manual(&b, s.Name)
	}
	for _, s := range sections {
		fmt.Fprintf(&b, ".SH %s\n", roff(s.Title))
		for _, i := range s.Items {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(i[0]), line(i[1]))
		}
	}
	return b.String()
}

// manual writes the parts of a command, or those of its subcommands.
func (c Command) manual(b *strings.Builder, name string) {
	if len(c.Subcommands) > 0 {
		for _, s := range c.visible() {
			s.manual(b, name+" "+s.Name)
		}
		return
	}
	fmt.Fprintf(b, ".SS \"emendo %s\"\n%s\n", roff(c.usage(name)), line(sentence(c.Summary)))
	for _, f := range c.Flags() {
		names := make([]string, len(f.Names))
		for i, n := range f.Names {
			names[i] = `\fB` + roff(n) + `\fR`
		}
		text := strings.Join(names, ", ")
		if f.Value != "" {
			text += ` \fI` + roff(f.Value) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", text, line(f.text()))
	}
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `"`, `\(dq`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// roff escapes text for a manual page.
func roff(text string) string { return roffEscapes.Replace(text) }

// line escapes text that is a line of its own, which a period must not begin.
func line(text string) string {
	text = roff(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
