package shell

import "strings"

// shellTable is of shells. Their text is read like the command itself, as far
// as they speak the same language.
var shellTable = map[string]*program{
	"sh bash dash ash":               {operands: lines, options: "-c -l -e -u -x -o=! --norc --noprofile --login --posix -O=! --rcfile=! --init-file=!", also: shellText(true)},
	"zsh ksh mksh rbash":             {operands: lines, options: "-c -l -e -u -x -f -o=!", also: shellText(false)},
	"fish csh tcsh":                  {operands: lines, options: "-c -l -N -f --command=!", also: shellText(false)},
	"pwsh powershell cmd":            {operands: texts, never: interprets},
	"crontab at batch":               {operands: texts, never: "it runs commands later"},
	"systemctl service":              {operands: texts, also: verb(2)},
	"launchctl":                      {operands: texts, also: verb(2)},
	"xdg-open open gnome-open start": {operands: texts, never: "it starts other programs"},
}

// shellText looks for what a shell is given to run. Only shells that speak
// bash's language let that text decide.
func shellText(bash bool) func(*call, use) {
	return func(c *call, u use) {
		code, plain := false, bash
		for _, a := range u.args {
			kind, _ := shellOption(a.option)
			switch {
			case a.option == "-c" || a.option == "--command":
				code = true
			case !a.listed || kind:
				if a.option == "-o" && a.value.is("pipefail", "errexit", "nounset") {
					continue
				}
				plain = false
			}
		}
		at := u.next
		switch {
		case code && at < len(c.words):
			c.code(c.words[at], c.s)
			c.p.Passes = plain && c.p.Known
			c.never(interprets)
		case at < len(c.words) && !c.words[at].is("-"):
			c.must(at) // a script in a file is a program like others
		default:
			c.never("it runs what it reads")
			if c.s.quoted {
				c.script(c.p, c.s.input, c.s)
			} else {
				c.unseen(c.p.Text, untold+": "+c.name+" runs what it reads")
			}
		}
	}
}

// shellOption says whether an option changes more than how strict a shell is.
func shellOption(name string) (changes, ok bool) {
	return strings.Contains(" -o -O --rcfile --init-file --command ", " "+name+" "), true
}
