package shellcmd

import (
	"math/rand/v2"
	"strings"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
)

// A writer generates random commands, mostly ones that can be allowed, in all
// the ways they can be written, with an occasional surprise. They are harmless
// for any shell: no word of theirs is the name of a program that does anything.
type writer struct{ *rand.Rand }

// letters are the atoms of words. In GBK and Shift JIS some characters end in
// the byte of a backslash or a bar, and some have such a byte before them.
var letters = strings.Split(`a b cd x1 / . - _ = : , + % @ 字 表 ソ 能 — é 😀 誠 | ; & $ ! # ~ * ? [ ] { } ( ) < > ' " ^ \ if do in time`, " ")

// tricks are texts that a reader and the shell may see differently.
var tricks = []string{
	"\\\n", " \\\n", "\\\n ", "\n", "\t", "\r", " # c\n", "#", " #\\\n", "\\", "'", `"`, "`", "$", "$'", `$"`, `$'\n'`, `$"b"`, "$'\\'", "$(touch pwned)", "`touch pwned`", "${x}", "${x:-y}", "$((1+1))", "$x",
	"\n<<E", " <<E\nE\n", " <<'E'\na\nE\n", " <<-E\n\t\\\nE\ntouch pwned\nE\n", " <<-'E'\n\ta\\\n\tE\n", " <<E <<F\na\nE\nb\nF\n", "\nE\n", "\n\tE\n", "\nE \n", "<<<", " <<< a", " <<\\E\n$a\nE\n", " <<\"E\"\n`\nE\n", " <<E'F'\nb\nEF\n", " <<''\nb\n\n",
	";", "&", "|", "&&", "||", "|&", ";;", "&>", ">&", ">|", "<>", "<&-", "2>&1", " >/dev/null", " </dev/null", "3<&0 ", " >&2", "{fd}>/dev/null", "99999999999>/dev/null", "2 >/dev/null",
	"!", " ! ", "!!", "time ", "time -p ", "time -- ", "coproc ", "[[ a ]]", "((a))", "{ ", " }", "(", ")", "@(a)", "?(a)", "!(a)", "{a,b}", "{1..3}", "~", "~/a", "=~", ":~", "[a-z]*", "[!a]", "*", "?",
	"if ", "then ", "fi", "case a in a) b;; esac", "for i in a; do b; done", "f() { b; }", "alias a=touch\n", "function ", "select ", "A=b ", "A[0]=b ", "A+=(b) ", "export A=b;", "eval ", "exec ", "\u3000", "\u00a0", "\u200b", "\x1b", "é", "表\\;touch pwned", "字\\|touch pwned", "\xff", "\x81\\", "\x85",
}

// pick returns one of the strings.
func (w writer) pick(l ...string) string { return l[w.IntN(len(l))] }

// text returns a random literal text.
func (w writer) text() string {
	var b strings.Builder
	for range 1 + w.IntN(4) {
		b.WriteString(letters[w.IntN(len(letters))])
	}
	return b.String()
}

// word returns a word in a random notation.
func (w writer) word() string {
	switch w.IntN(12) {
	case 0:
		return canonical.Quote(w.text())
	case 1:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(w.text()) + `"`
	case 2: // a backslash before each character
		var b strings.Builder
		for _, r := range w.text() {
			b.WriteString(`\` + string(r))
		}
		return b.String()
	case 3:
		return w.word() + w.pick("", "\\\n") + w.word()
	case 4:
		return `"` + w.pick("a", " ", "'", "#", "\n", "!", "\\n", "字", "*", "~", "{a,b}", "a\\\nb", "$") + `"`
	case 5:
		return w.pick("*", "*.txt", "./*", "?", "'a'*", "a{b,c}", "{}", "[", "]", "[a]", "~", "~/a", "''", `""`, "-", "--", "-n", "!", "'!'", "#a", "a#b", "a=b", "--a=b", "%s", "^", ",", "@")
	case 6:
		return w.pick("if", "time", "in", "'if'", "do", "function", "coproc", "{", "}", "[[", "export", "select")
	default:
		return w.pick("a", "b.txt", "sub", "-l", "x", "main.go", "字", "ソ", "表", "é", "touch", "pwned", "id")
	}
}

// programs are those that the tests' rules allow, and some that only read.
var programs = strings.Fields("a b c true false a b c cat echo printf ls grep head")

// document returns the start of a here-document for the end of a line, and its
// body.
func (w writer) document() (begin, body string) {
	delimiter := w.pick("E", "EOF", "字", "E F", "-", "E")
	var lines strings.Builder
	dash := w.IntN(2) == 0
	for range w.IntN(4) {
		if dash && w.IntN(2) == 0 {
			lines.WriteString("\t")
		}
		lines.WriteString(w.pick("a", "touch pwned", "", " ", "\t\t", "字", "'", `"`, "#", "EOF", "E ", "x\ty", "表\\", "\\", "a\\", "a \\", "\\\\", "$", "$x", "$(touch pwned)", "`touch pwned`", `\$x`, "\\`", "E\\", "<<E") + "\n")
	}
	quoted := w.pick(delimiter, canonical.Quote(delimiter), `"`+delimiter+`"`, canonical.Quote(delimiter), canonical.Quote(delimiter))
	if delimiter == "E F" && quoted == delimiter {
		quoted = `E\ F`
	}
	op := "<<"
	end := delimiter
	if dash {
		op = "<<-"
		end = w.pick("", "\t", "\t\t") + delimiter
	}
	return op + w.pick("", "", " ", "\\\n") + quoted, lines.String() + end + "\n"
}

// command returns a random line of commands.
func (w writer) command() string {
	var b, documents strings.Builder
	for i, n := 0, 1+w.IntN(3); i < n; i++ {
		if i > 0 {
			join := w.pick(" ; ", ";", " && ", " || ", " | ", "|", "&&\n", "\n", " |\n", "&&\\\n")
			if strings.HasPrefix(join, "\n") || strings.HasSuffix(join, "|\n") || strings.HasSuffix(join, "&\n") {
				join += documents.String()
				documents.Reset()
			}
			b.WriteString(join)
		}
		if w.IntN(12) == 0 {
			b.WriteString(w.pick("! ", "time ", "time -p ", "\t", "\\\n"))
		}
		if w.IntN(15) == 0 {
			b.WriteString(w.pick("timeout 5 ", "nice ", "command ", "eval ", "env "))
		}
		switch p := programs[w.IntN(len(programs))]; w.IntN(10) {
		case 0:
			b.WriteString(canonical.Quote(p))
		case 1:
			b.WriteString(`\` + p)
		case 2:
			b.WriteString(p[:1] + "''" + p[1:])
		default:
			b.WriteString(p)
		}
		for range w.IntN(4) {
			b.WriteString(w.pick(" ", " ", " ", "  ", "\t", " \\\n"))
			switch w.IntN(12) {
			case 0:
				b.WriteString(w.pick(">/dev/null", "2>/dev/null", "2>&1", ">&2", "< /dev/null", "1>&2", "&>/dev/null", "3>&1", "2>&-", ">& /dev/null", "<&-"))
			case 1:
				begin, body := w.document()
				b.WriteString(begin)
				documents.WriteString(body)
			case 2:
				b.WriteString("<<<" + w.pick("", " ") + w.word())
			default:
				b.WriteString(w.word())
			}
		}
	}
	if w.IntN(15) == 0 {
		b.WriteString(w.pick(" # comment", " #\\", "#", " # 字\\"))
	}
	if documents.Len() > 0 {
		b.WriteString("\n" + documents.String())
	}
	s := b.String()
	if w.IntN(3) > 0 {
		return s
	}
	for range 1 + w.IntN(2) {
		at := w.IntN(len(s) + 1)
		s = s[:at] + tricks[w.IntN(len(tricks))] + s[at:]
	}
	return s
}
