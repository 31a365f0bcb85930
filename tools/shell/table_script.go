package shell

import (
	"strings"
)

// interprets says why nothing but the whole command is allowed.
const interprets = "it runs code that its arguments hold"

// scriptTable is of programs that run what their arguments say in a language
// of their own.
var scriptTable = map[string]*program{
	"python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3": {operands: lines, options: "-m= -c=! -u -B -b -E -I -O -q -s -S -v -W= -X= -V --version -h --help", also: interpreter("-m", "-c")},
	"deno bun":                {operands: texts, options: "--version --help", also: verb(2)},
	"node nodejs ts-node tsx": {operands: lines, options: "-e=! --eval=! -p=! --print=! -v --version --help -h -c --check --test --trace-warnings --no-warnings --enable-source-maps --experimental-strip-types", also: interpreter("", "-e --eval -p --print")},
	"perl":                    {operands: lines, options: "-e=! -E=! -n -p -l -a -w -W -v", also: interpreter("", "-e -E -n -p")},
	"ruby irb":                {operands: lines, options: "-e=! -w -W -v --version", also: interpreter("", "-e")},
	"php lua luajit Rscript julia tclsh osascript scala groovy elixir erl ghc guile racket sbcl swift":                                                                                          {operands: lines, options: "-v --version", also: interpreter("", "-e -r -E --eval --expr -eval")},
	"vi vim nvim view ex ed emacs emacsclient nano pico joe less more most man info gdbtui sqlite3 psql mysql mariadb mongosh redis-cli ftp sftp telnet bc dc expect m4 screen tmux byobu mutt": {never: interprets, operands: texts},
	"awk gawk mawk nawk": {operands: texts, options: "-F= -v= --field-separator= --assign= --sandbox --posix -P", also: awk},
	"sed gsed":           {operands: texts, options: "-n -E -r -s -u -z -e= -l= --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression= --posix --sandbox --line-length= --debug", also: sed, safe: true},
}

// interpreter is of programs that run a script or a module, which a rule has to
// name; code in arguments, or what they read, is never covered.
func interpreter(module, code string) func(*call, use) {
	return func(c *call, u use) {
		at := u.next
		for _, a := range u.args {
			switch {
			case contains(code, a.option):
				c.never(interprets)
			case module != "" && a.option == module:
				c.must(a.at)
				return
			case a.option == "-V" || a.option == "-v" && len(c.words) == 2 || a.option == "--version" || a.option == "--help" || a.option == "-h":
				c.must(a.at)
				return
			}
		}
		if at >= len(c.words) {
			c.never("it runs what it reads")
			return
		}
		if c.words[at].is("-") {
			c.never("it runs what it reads")
		}
		c.must(at)
	}
}

// awk covers programs that only print.
func awk(c *call, u use) {
	first := true
	for _, a := range u.args {
		if a.option != "" {
			continue
		}
		if !first {
			c.file(a.at, a.value, false)
			continue
		}
		first = false
		text := a.value.text
		if !a.value.known || strings.ContainsAny(text, "|>@`") || strings.Contains(text, "system") || strings.Contains(text, "getline") || strings.Contains(text, "close") || strings.Contains(text, "ARG") {
			c.must(a.at)
		}
	}
	c.unread = true
}

// sed covers scripts that only change what is printed; it is safe when it does
// no more than to print lines by their numbers.
func sed(c *call, u use) {
	var scripts []argument
	var names []argument
	quiet := false
	for _, a := range u.args {
		switch a.option {
		case "-e", "--expression":
			scripts = append(scripts, a)
		case "-n", "--quiet", "--silent":
			quiet = true
		case "":
			names = append(names, a)
		}
	}
	if len(scripts) == 0 {
		if len(names) == 0 {
			return
		}
		scripts, names = names[:1], names[1:]
	}
	for _, a := range scripts {
		if !a.value.known || !sedPrints(a.value.text) {
			c.must(a.at)
		}
		if !quiet || !sedLines(a.value.text) {
			c.unread = true
		}
	}
	for _, a := range names {
		c.file(a.at, a.value, false)
	}
}

// sedLines says whether a script is N[,M]p.
func sedLines(script string) bool {
	numbers, ok := strings.CutSuffix(script, "p")
	first, last, two := strings.Cut(numbers, ",")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && digits(first) && (!two || digits(last) || last == "$")
}

// sedPrints says whether a script is made of the commands that neither read
// nor write files nor run anything. What it does not understand does more.
func sedPrints(s string) bool {
	for {
		s = strings.TrimLeft(s, " \t\n;{}")
		if s == "" {
			return true
		}
		var ok bool
		if s, ok = sedAddress(s); !ok {
			return false
		}
		s = strings.TrimLeft(s, " \t!")
		if s == "" {
			return false
		}
		verb := s[0]
		s = s[1:]
		switch {
		case strings.IndexByte("{}=dDgGhHnNpPxlqQ#", verb) >= 0:
			if verb == '#' {
				_, s, _ = strings.Cut(s, "\n")
			}
			if verb == 'q' || verb == 'Q' || verb == 'l' {
				s = strings.TrimLeft(s, " 0123456789")
			}
		case strings.IndexByte(":btT", verb) >= 0: // after a label's blank GNU's sed reads another command
			s = strings.TrimLeft(strings.TrimLeft(s, " \t"), labelled)
		case verb == 's' || verb == 'y':
			if s, ok = sedDelimited(s, 2); !ok {
				return false
			}
			rest := strings.TrimLeft(s, "gpiIM0123456789")
			if verb == 'y' {
				rest = s
			}
			if s = rest; s != "" && strings.IndexByte(" \t\n;}", s[0]) < 0 {
				return false // w and e among the flags
			}
		default: // a, i, c; e, r, R, w, W and what is not known
			return false
		}
		if s != "" && strings.IndexByte(" \t\n;{}#", s[0]) < 0 && verb != '{' {
			return false
		}
	}
}

// labelled are the characters that no version of sed ends a label at.
const labelled = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// sedAddress takes the address off a command.
func sedAddress(s string) (rest string, ok bool) {
	for n := 0; ; n++ {
		switch {
		case s == "":
			return s, n == 0
		case s[0] == '/':
			if s, ok = sedDelimited(s, 1); !ok {
				return s, false
			}
			s = strings.TrimLeft(s, "IM")
		case s[0] == '\\' && len(s) > 1:
			if s, ok = sedDelimited(s[1:], 1); !ok {
				return s, false
			}
			s = strings.TrimLeft(s, "IM")
		default:
			s = strings.TrimLeft(s, "0123456789$~+")
		}
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ",") || n > 0 {
			return s, true
		}
		s = strings.TrimLeft(s[1:], " \t")
	}
}

// sedDelimited takes n texts off, which end at the character they begin with.
func sedDelimited(s string, n int) (rest string, ok bool) {
	if s == "" || s[0] == '\n' || s[0] == '\\' || s[0] >= 0x80 {
		return s, false
	}
	delimiter, class := s[0], false
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && !class:
			class = true
		case s[i] == ']' && class:
			class = false
		case s[i] == delimiter:
			if class { // sed's versions do not agree on it
				return s, false
			}
			if n--; n == 0 {
				return s[i+1:], true
			}
		}
	}
	return s, false
}
