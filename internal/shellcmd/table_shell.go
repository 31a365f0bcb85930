package shellcmd

import "strings"

// shellTable is of shells. Their text is read like the command itself, as far
// as they speak the same language.
var shellTable = map[string]*program{
	"sh bash dash ash": {operands: lines, also: shellText(true)},
	"zsh ksh mksh rbash yash osh ysh posh mrsh lksh oksh pdksh hush": {operands: lines, also: shellText(false)},
	"fish csh tcsh":                  {operands: lines, also: shellText(false)},
	"pwsh powershell cmd":            {operands: texts, never: interprets, opaque: interprets},
	"crontab at batch":               {operands: texts, never: runsLater, opaque: runsLater},
	"systemctl service":              {operands: texts, also: verb(2)},
	"launchctl":                      {operands: texts, also: verb(2)},
	"xdg-open open gnome-open start": {operands: texts, never: "it starts other programs", opaque: "it starts other programs"},
}

// shellText looks for what a shell is given to run. Only shells that speak
// bash's language let that text decide.
func shellText(bash bool) func(*call, use) {
	return func(c *call, _ use) {
		o := shellOptionsOf(c.words)
		rest := c.words[o.end:]
		switch {
		case o.strange:
			c.unseen(c.p.Text, untold+": "+c.name+" has options that are not known here")
			cannot(c.p, "its options are not known here")
			for _, w := range rest {
				c.code(w, c.s)
			}
		case o.text && len(rest) == 0:
			c.never(runsFilled)
			c.evaluates(runsFilled)
		case o.text:
			if bash && rest[0].known && !c.s.fed { // else the words that are filled in would be quoted
				c.script(c.p, rest[0].text, c.s, rest[0].node)
			} else {
				c.code(rest[0], c.s)
			}
			c.p.Passes = bash && o.plain && c.p.Known
			c.never(interprets)
		case !o.input && len(rest) > 0 && !rest[0].is("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
			c.must(o.end) // a script in a file is a program like others
			if rest[0].isDevice() {
				c.evaluates(runsInput)
			}
		default:
			c.never("it runs what it reads")
			if c.s.quoted {
				c.script(c.p, c.s.input, c.s, nil)
			} else {
				c.unseen(c.p.Text, untold+": "+c.name+" runs what it reads")
			}
		}
	}
}

// shellOptions are what a shell is told before the words of its own.
type shellOptions struct {
	end     int  // where they end in the call
	text    bool // the next word is what it runs
	input   bool // it runs what it reads
	plain   bool // they change no more than how strict it is
	strange bool // one is not known: where they end cannot be told
}

// shellOptionsOf reads them as bash does: -o takes the next word wherever it
// stands among letters, a plus sign switches off, one dash alone is the end.
func shellOptionsOf(l []word) shellOptions {
	o := shellOptions{end: 1, plain: true}
	for ; o.end < len(l); o.end++ {
		w := l[o.end]
		switch {
		case w.is("-", "--"):
			o.end++
			return o
		case w.known && !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+"):
			return o
		case w.is("-o", "-O", "+o", "+O", "--rcfile", "--init-file") && o.end+1 < len(l):
			o.end++
			o.strange = o.strange || w.is("--rcfile", "--init-file") && l[o.end].isDevice()
			o.plain = o.plain && w.is("-o") && l[o.end].is("pipefail", "errexit", "nounset")
		case w.is("--norc", "--noprofile", "--login", "--posix"):
		case w.known && len(w.text) > 1 && strings.Trim(w.text[1:], "abcefhiklmnprstuvxBCEHPT") == "":
			o.text = o.text || strings.Contains(w.text, "c")
			o.input = o.input || strings.Contains(w.text, "s")
			o.plain = o.plain && w.text[0] == '-' && strings.Trim(w.text[1:], "celux") == ""
		default:
			o.strange = true
			return o
		}
	}
	return o
}
