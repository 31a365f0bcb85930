package program

import (
	"strings"
)

// shellTable holds shells. Their text is analyzed like the command itself, as
// far as they speak the same language.
var shellTable = map[string]*program{
	"sh bash dash ash": {operands: lines, also: shellText(true)},
	"zsh ksh mksh rbash yash osh ysh posh mrsh lksh oksh pdksh hush": {operands: lines, also: shellText(false)},
	"fish csh tcsh":                  {operands: lines, also: shellText(false)},
	"pwsh powershell cmd":            {operands: texts, never: WhyInterprets, opaque: WhyInterprets},
	"crontab at batch":               {operands: texts, never: whyRunsLater, opaque: whyRunsLater},
	"systemctl service":              {operands: texts, also: requireSubCommand(2)},
	"launchctl":                      {operands: texts, also: requireSubCommand(2)},
	"xdg-open open gnome-open start": {operands: texts, never: "it starts other programs", opaque: "it starts other programs"},
}

// shellText finds the text that a shell is given to run. Only for shells that
// speak bash's language is that text judged instead of the call.
func shellText(bash bool) func(*Call, use) {
	return func(c *Call, _ use) {
		o := shellOptionsOf(c.words)
		rest := c.words[o.end:]
		switch {
		case o.strange:
			c.unseen(c.p.Text, WhyUntold+": "+c.name+" has unknown options")
			c.p.MarkUnknown("its options are not known")
			for _, w := range rest {
				c.analyzeCode(w, c.s)
			}
		case o.text && len(rest) == 0:
			c.excludeFromRules(WhyRunsFilled)
			c.Evaluates(WhyRunsFilled)
		case o.text:
			if bash && rest[0].Known && !c.s.Fed { // else the words that are filled in would be quoted
				c.line.walker.Script(c.p, rest[0].Text, c.s, rest[0].Node)
			} else {
				c.analyzeCode(rest[0], c.s)
			}
			c.p.Passes = bash && o.plain && c.p.Known
			c.excludeFromRules(WhyInterprets)
		case !o.input && len(rest) > 0 && !rest[0].Is("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
			c.requireWords(o.end) // a script in a file is a program like any other
			if rest[0].isDevice() {
				c.Evaluates(WhyRunsInput)
			}
		default:
			c.excludeFromRules("it runs what it reads")
			if c.s.Quoted {
				c.line.walker.Script(c.p, c.s.Input, c.s, nil)
			} else {
				c.unseen(c.p.Text, WhyUntold+": "+c.name+" runs what it reads")
			}
		}
	}
}

// shellOptions holds the options of a shell.
type shellOptions struct {
	end     int  // index of the first word after them
	text    bool // the next word is the text to run
	input   bool // it runs its input
	plain   bool // they only affect how strict the shell is
	strange bool // one is unknown, so their end is not known
}

// shellOptionsOf parses them as bash does: -o takes the next word wherever it
// is among letters, a plus sign switches off, and a single dash ends them.
func shellOptionsOf(l []Word) shellOptions {
	o := shellOptions{end: 1, plain: true}
	for ; o.end < len(l); o.end++ {
		w := l[o.end]
		switch {
		case w.Is("-", "--"):
			o.end++
			return o
		case w.Known && !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+"):
			return o
		case w.Is("-o", "-O", "+o", "+O", "--rcfile", "--init-file") && o.end+1 < len(l):
			o.end++
			o.strange = o.strange || w.Is("--rcfile", "--init-file") && l[o.end].isDevice()
			o.plain = o.plain && w.Is("-o") && l[o.end].Is("pipefail", "errexit", "nounset")
		case w.Is("--norc", "--noprofile", "--login", "--posix"):
		case w.Known && len(w.Text) > 1 && strings.Trim(w.Text[1:], "abcefhiklmnprstuvxBCEHPT") == "":
			o.text = o.text || strings.Contains(w.Text, "c")
			o.input = o.input || strings.Contains(w.Text, "s")
			o.plain = o.plain && w.Text[0] == '-' && strings.Trim(w.Text[1:], "celux") == ""
		default:
			o.strange = true
			return o
		}
	}
	return o
}
