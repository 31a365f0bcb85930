package program

import (
	"regexp"
	"strings"
	"sync"
)

// WhyInterprets is the reason why only the whole command can be allowed.
const WhyInterprets = "it runs code in its arguments"

// scriptTable holds programs that run what their arguments say in a language of
// their own.
var scriptTable = map[string]*program{
	"python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3": {operands: lines, options: "-m= -c=! -u -B -b -E -I -O -q -s -S -v -W= -X= -V --version -h --help", also: interpreter("-m", "-c")},
	"deno bun crystal": {operands: texts, options: "--version --help", also: func(c *Call, u use) {
		requireSubCommand(2)(c, u)
		for _, w := range c.words[1:] {
			if w.Is("eval", "repl", "-e", "--eval", "-p", "--print", "-") || strings.HasPrefix(w.Text, "data:") {
				c.Evaluates(WhyInterprets)
			}
		}
	}},
	"node nodejs ts-node tsx": {operands: lines, options: "-e=! --eval=! -p=! --print=! -v --version --help -h -c --check --test --trace-warnings --no-warnings --enable-source-maps --experimental-strip-types", also: interpreter("", "-e --eval -p --print")},
	"perl":                    {operands: lines, options: "-e=! -E=! -n -p -l -a -w -W -v", also: interpreter("", "-e -E -n -p")},
	"ruby irb":                {operands: lines, options: "-e=! -w -W -v --version", also: interpreter("", "-e")},
	"gnuplot logrotate php lua luajit rscript r julia tclsh osascript scala groovy elixir erl ghc guile racket sbcl swift clojure clj bb joker janet fennel hy raku ocaml utop gforth factor csi gsi gosh jshell kotlin ipython ipython3 bpython ptpython xonsh nu elvish octave maxima sage": {operands: lines, options: "-v --version", also: interpreter("", "-e -r -E -R -B -F -c -run --eval --expr -eval --execute --evaluate")},
	"groff troff gtroff pic gpic nroff vi vim nvim view ex ed emacs emacsclient joe less more most gdbtui sqlite3 psql mysql mariadb mongosh ftp sftp telnet lftp swipl gprolog groovysh ghci dc expect m4 screen tmux byobu mutt":                                                            {never: WhyInterprets, opaque: WhyInterprets, operands: texts},
	"nano pico info redis-cli bc":           {never: WhyInterprets, operands: texts},
	"man":                                   {never: WhyInterprets, operands: texts, options: "-P> --pager> -H> --html>"},
	"awk gawk mawk nawk original-awk goawk": {operands: texts, options: "-F= -v= --field-separator= --assign= --sandbox --posix -P", also: awkArguments},
	"sed gsed":                              {operands: texts, options: "-n -E -r -s -u -z -e= -f@ --file@ -l= --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression= --posix --sandbox --line-length= --debug", also: sedArguments, safe: true},
}

// interpreter handles programs that run a script or a module, which a rule has
// to name. Code in arguments or input is never covered.
func interpreter(module, code string) func(*Call, use) {
	return func(c *Call, u use) {
		at := u.next
		for _, w := range c.words[1:] {
			if strings.Contains(w.Text, "data:text/") || strings.Contains(w.Text, "data:application/") || c.name == "perl" && loadsCode().MatchString(w.Text) {
				c.Evaluates(WhyInterprets)
			}
		}
		for _, a := range u.args {
			switch {
			case HasName(code, a.option), !a.listed && clustered(c.name, c.words[a.at].Text, code):
				c.excludeFromRules(WhyInterprets)
				c.Evaluates(WhyInterprets)
			case module != "" && a.option == module:
				c.requireWords(a.at)
				if !a.value.Known || HasName("timeit pdb code trace cProfile profile IPython bdb runpy asyncio ptpython bpython xonsh idlelib", a.value.Text) {
					c.Evaluates(WhyInterprets)
				}
				return
			case a.option == "-V" || a.option == "-v" && len(c.words) == 2 || a.option == "--version" || a.option == "--help" || a.option == "-h":
				c.requireWords(a.at)
				return
			}
		}
		if at >= len(c.words) {
			c.excludeFromRules(WhyRunsInput)
			c.Evaluates(WhyRunsInput)
			return
		}
		if c.words[at].Is("-") || c.words[at].isDevice() {
			c.excludeFromRules(WhyRunsInput)
			c.Evaluates(WhyRunsInput)
		}
		c.requireWords(at)
	}
}

// loadsCode matches an option of perl that loads a module with more than its
// name: the rest is code.
var loadsCode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-[a-zA-Z]*[mM].*[^A-Za-z0-9_:=,.-]`)
})

// valued holds the letters after which the rest of an option word names a
// module or a directory.
var valued = map[string]string{"perl": "MmI", "ruby": "rI"}

// clustered reports whether an unlisted option word may contain one of the
// one-letter options that take code.
func clustered(name, text, code string) bool {
	if len(text) < 2 || text[0] != '-' || text[1] == '-' {
		return false
	}
	if i := strings.IndexAny(text, valued[name]); i > 0 {
		text = text[:i]
	}
	for option := range strings.FieldsSeq(code) {
		if len(option) == 2 && strings.Contains(text[1:], option[1:]) {
			return true
		}
	}
	return false
}

// awkArguments covers programs that only print.
func awkArguments(c *Call, u use) {
	for n, a := range u.operands() {
		if n > 0 {
			c.file(a.at, a.value, false)
			continue
		}
		does := awkEffect(a.value.Text)
		if !a.value.Known || does != prints {
			c.requireWords(a.at)
		}
		if !a.value.Known || does == runs {
			c.Evaluates(WhyInterprets)
		}
	}
	for _, a := range u.args {
		if text := c.words[a.at].Text; a.option != "" && !a.listed && awkEffect(text) == runs && strings.ContainsAny(text, "|(") {
			c.Evaluates(WhyInterprets)
		}
	}
	c.unread = true
}

// sedArguments covers scripts that only change what is printed. It only reads if it does
// no more than print lines by number.
func sedArguments(c *Call, u use) {
	var scripts []argument
	var names []argument
	quiet, fromFile := false, false
	for _, a := range u.args {
		switch a.option {
		case "-e", "--expression":
			scripts = append(scripts, a)
		case "-f", "--file":
			fromFile = true
			c.requireWords(a.at)
		case "-n", "--quiet", "--silent":
			quiet = true
		case "":
			names = append(names, a)
		}
	}
	c.unread = c.unread || fromFile
	if len(scripts) == 0 && !fromFile {
		if len(names) == 0 {
			return
		}
		scripts, names = names[:1], names[1:]
	}
	for _, a := range scripts {
		does := sedEffect(a.value.Text)
		if !a.value.Known || does != prints {
			c.requireWords(a.at)
		}
		if !a.value.Known || does == runs {
			c.Evaluates(WhyInterprets)
		}
		if !quiet || !sedLines(a.value.Text) {
			c.unread = true
		}
	}
	for _, a := range names {
		c.file(a.at, a.value, false)
	}
}

// sedLines reports whether a script has the form N[,M]p.
func sedLines(script string) bool {
	numbers, ok := strings.CutSuffix(script, "p")
	first, last, two := strings.Cut(numbers, ",")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && digits(first) && (!two || digits(last) || last == "$")
}
