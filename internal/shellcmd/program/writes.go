package program

import (
	"slices"
	"strings"
	"sync"
)

// An altering selects the words of a program that name files that it writes, deletes
// or changes.
type altering struct {
	options string // options that have a value, or combine in one word
	into    string // options whose value is a file that is written
	when    string // operands are written only with one of these options
	unless  string // nothing is written with one of these options
	which   operandsWritten
	verbs   string // first operands, with one of which the others are written; empty: there are none
	program *program
}

// operandsWritten selects the operands that a program writes.
type operandsWritten int

const (
	none operandsWritten = iota
	all
	final // the last of several, unless an option names the target
	rest  // all but the first
	first
)

// alterings holds the programs that write files which their words name.
var alterings = sync.OnceValue(func() map[string]altering {
	rows := map[string]altering{
		"mkdir rmdir":              {which: all, options: "-p -v -m= --mode="},
		"touch":                    {which: all, options: "-a -c -m -h -d= -t= -r= --date= --reference= --time="},
		"rm unlink shred":          {which: all, options: "-n= -s= --iterations= --size="},
		"truncate":                 {which: all, options: "-c -o -s= -r= --size= --reference="},
		"tee":                      {which: all},
		"mv":                       {which: all, into: "-t --target-directory", options: "-f -i -n -u -v -T -S= --suffix="},
		"cp ln":                    {which: final, into: "-t --target-directory", options: "-a -b -d -f -i -l -L -n -p -P -r -R -s -T -u -v -x -S= --suffix="},
		"install":                  {which: final, into: "-t --target-directory", options: "-b -c -C -D -p -s -v -T -m= -o= -g= -S= --mode= --owner= --group= --suffix= --strip-program="},
		"rsync scp":                {which: final, options: "-a -v -z -r -q -n -p -P -u -t -C -e= -i= -o= -S= -F= -l= -J= -c= --rsh= --exclude= --include= --exclude-from= --include-from= --filter="},
		"chmod chown chgrp chattr": {which: all, options: "-R -c -f -v -h -H -L -P --reference= --from="},
		"sed gsed":                 {which: rest, when: "-i --in-place", options: "-n -E -r -s -u -z -e= -f= -l= -i? --in-place? --expression= --file= --line-length="},
		"perl":                     {which: rest, when: "-i", options: "-n -p -l? -a -w -0? -F? -I? -M? -m? -e= -E= -i?"},
		"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd": {which: all, unless: "-c -l -t --stdout --to-stdout --list --test", into: "-o", options: "-d -f -k -q -r -v -1 -9 -S= --suffix="},
		"unzip":                              {into: "-d", unless: "-l -p -t -v -Z", options: "-o -n -q -j -a -u -x= -P="},
		"zip":                                {which: first, options: "-r -q -9 -u -v -j -x= -i= -P="},
		"patch":                              {which: none, into: "-d -o --directory --output", options: "-p= -i= -s -N -R -f -b -F= --strip= --input="},
		"curl":                               {into: "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii", options: "-s -S -L -f -k -g -i -I -v -4 -6 -# -X= -H= -d= -A= -e= -u= -m= -x= -b= -F= -T= -w= -r= -C="},
		"wget":                               {into: "-O --output-document -P --directory-prefix -o -a", options: "-q -c -v -N -n? -S -r -l= -t= -T= -U= -e= -i="},
		"sort":                               {into: "-o --output", options: "-b -d -f -g -h -i -M -n -r -u -V -z -c -m -s -k= -t= -S= -T= --key= --field-separator="},
		"gofmt gofumpt":                      {which: all, when: "-w", options: "-l -d -e -s -r="},
		"goimports":                          {which: all, when: "-w", options: "-l -d -e -local="},
		"prettier":                           {which: all, when: "-w --write"},
		"eslint ruff":                        {which: all, when: "--fix --fix-only"},
		"clang-format":                       {which: all, when: "-i"},
		"black isort":                        {which: all, unless: "--check --diff", options: "-l= --line-length="},
		"dos2unix unix2dos":                  {which: all},
		"mkfifo":                             {which: all, options: "-m= --mode="},
		"fallocate":                          {which: all, options: "-d -n -p -c -z -x -i -v -l= -o= --length= --offset="},
		"gcc g++ cc c++ clang clang++ ld as": {into: "-o", options: "-c -g"},
		"git-init":                           {which: all, options: "-q -b= --initial-branch= --template= --separate-git-dir="},
		"git-clone":                          {which: rest, options: "-q -v -n -l -s -b= -o= -u= -c= -j= --depth= --branch= --origin= --filter= --reference= --template="},
		"git-worktree":                       {which: all, verbs: "add move remove", options: "-f -d -q -b= -B= --reason="},
		"git-archive":                        {into: "-o --output", options: "-v --format= --prefix= --remote="},
		"git-format-patch":                   {into: "-o --output-directory", options: "-v= -s -n"},
		"git-bundle":                         {which: all, verbs: "create", options: "-q"},
	}
	for names, a := range rows {
		a.program = &program{options: a.options, operands: texts}
		for o := range strings.FieldsSeq(a.into) {
			a.program.options += " " + o + "="
		}
		for o := range strings.FieldsSeq(a.when + " " + a.unless) {
			if !strings.Contains(" "+a.program.options+" ", " "+o+"? ") {
				a.program.options += " " + o
			}
		}
		rows[names] = a
	}
	return ByName(rows)
})

// alters returns the files that the words of a call name and that it writes,
// deletes or changes, absolute. Files that the words do not show are left out.
func (c *Call) alters() []string {
	l := c.altered(alterings()[c.name], 1)
	switch c.name {
	case "dd":
		for _, w := range c.words[1:] {
			if file, ok := strings.CutPrefix(w.Text, "of="); ok {
				l = append(l, Word{Text: file, Known: w.Known, Home: w.Home})
			}
		}
	case "tar", "bsdtar":
		l = c.archived()
	case "git":
		l = c.gitAlters()
	case "go":
		for i, w := range c.words {
			if file, ok := strings.CutPrefix(w.Text, "-o="); ok {
				l = append(l, Word{Text: file, Known: w.Known})
			} else if w.Is("-o") && i+1 < len(c.words) {
				l = append(l, c.words[i+1])
			}
		}
	}
	var files []string
	for _, w := range l {
		switch {
		case w.Home != "":
			files = append(files, w.Home)
		case !w.Known, w.Text == "", w.Text == "-", device(w.Text):
		case strings.Contains(w.Text, ":") && (c.name == "rsync" || c.name == "scp"): // on another machine
		default:
			files = append(files, c.s.In.Paths(w.Text)...)
		}
	}
	return files
}

// OperandsOf returns those of the words after a program's name that are not options, nor
// values of options that are known.
func OperandsOf(name string, words []Word) []Word {
	t := alterings()[name].program
	if t == nil {
		return Operands(words)
	}
	args, _ := t.arguments(words, 0)
	return use{args: args}.values()
}

// device reports whether a path is a device that stores nothing.
func device(name string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/zero"}, name) || strings.HasPrefix(name, "/dev/fd/")
}

// altered returns the words from an index on that name files which the program writes.
func (c *Call) altered(a altering, from int) (l []Word) {
	if a.program == nil {
		return nil
	}
	args, _ := a.program.arguments(c.words, from)
	operands := use{args: args}.values()
	if a.verbs != "" {
		if len(operands) < 2 || !operands[0].Is(strings.Fields(a.verbs)...) {
			return nil
		}
		if !operands[0].Is("move") { // what follows the file are commits
			operands = operands[:2]
		}
		operands = operands[1:]
	}
	placed, code, writes := false, false, a.when == ""
	for _, arg := range args {
		switch {
		case HasName(a.into, arg.option):
			l, placed = append(l, arg.value), true
		case HasName(a.unless, arg.option):
			return nil
		case HasName(a.when, arg.option):
			writes = true
		case HasName("-e -E -f --expression --file", arg.option):
			code = true
		case HasName("-d --directory", arg.option) && c.name == "install":
			a.which = all
		}
	}
	switch {
	case !writes || len(operands) == 0:
		return l
	case a.which == first:
		return append(l, operands[0])
	case a.which == all:
		return append(l, operands...)
	case a.which == final && !placed && len(operands) > 1:
		return append(l, operands[len(operands)-1])
	case a.which == rest && code:
		return append(l, operands...)
	case a.which == rest:
		return append(l, operands[1:]...)
	}
	return l
}

// tarOptions holds the options of tar that have a value, and the one-letter
// ones.
var tarOptions = &program{operands: texts, options: "-x -c -t -r -u -A -v -z -j -J -p -k -m -O -P -a -h -l -S -w -W -U -f= -C= -T= -X= -b= -I= -g= -K= -N= -V= --file= --directory= --exclude= --strip-components= --transform= --files-from="}

// archived returns the files that tar writes: the archive, or the directory it
// unpacks into.
func (c *Call) archived() (l []Word) {
	words := slices.Clone(c.words)
	if len(words) < 2 {
		return nil
	}
	if w := words[1]; w.Known && !strings.HasPrefix(w.Text, "-") { // letters, followed by their values in the same order
		var split []Word
		rest := words[2:]
		for _, r := range w.Text {
			split = append(split, Word{Text: "-" + string(r), Known: true})
			if strings.ContainsRune("fCTXbIgKNV", r) && len(rest) > 0 {
				split, rest = append(split, rest[0]), rest[1:]
			}
		}
		words = slices.Concat(words[:1], split, rest)
	}
	args, _ := tarOptions.arguments(words, 1)
	var archives, folders []Word
	unpacks, packs := false, false
	for _, a := range args {
		switch a.option {
		case "-x", "--extract", "--get":
			unpacks = true
		case "-c", "-r", "-u", "-A", "--create", "--append", "--update", "--catenate", "--concatenate", "--delete":
			packs = true
		case "-f", "--file":
			archives = append(archives, a.value)
		case "-C", "--directory":
			folders = append(folders, a.value)
		}
	}
	if unpacks {
		l = append(l, folders...)
	}
	if packs {
		l = append(l, archives...)
	}
	return l
}

// gitAlters returns the files that git writes because its words say so; with
// -C, in another directory.
func (c *Call) gitAlters() (l []Word) {
	t := table()["git"]
	args, next := t.arguments(c.words, 1)
	if next >= len(c.words) {
		return nil
	}
	name := c.words[next].Text
	if sub := t.command(name); sub == nil || !sub.safe {
		for _, a := range args {
			if HasName("-C --git-dir --work-tree", a.option) {
				l = append(l, a.value)
			}
		}
	}
	return append(l, c.altered(alterings()["git-"+name], next+1)...)
}

// setsUp lists the sub-commands that configure what programs run later, as the
// leading words of a call.
var setsUp = strings.Split(`go env -w,npm config set,npm set,npm c set,pnpm config set,pnpm set,yarn config set,gh alias set,gh alias import,gh config set,glab alias set,pip config set,pip3 config set,systemctl enable,systemctl link,systemctl edit,launchctl load,launchctl bootstrap,launchctl submit`, ",")

// harmlessNpm holds settings of npm that name neither a program nor a place to
// fetch from.
var harmlessNpm = NameSet("fund audit progress loglevel color save-exact save-prefix engine-strict legacy-peer-deps")

// installs returns why a call changes what other programs run later; empty if
// it is not known to. Git's settings are handled elsewhere.
func (c *Call) installs() string {
	switch c.name {
	case "crontab":
		if len(c.words) == 2 && c.words[1].Is("-l") {
			return ""
		}
		return "it changes which commands run at set times"
	case "at", "batch":
		if Option(c.words[1:], "lqcrd") {
			return ""
		}
		return whyRunsLater
	}
	var words []string
	for _, w := range c.words[1:] {
		if !strings.HasPrefix(w.Text, "-") || w.Is("-w") {
			words = append(words, w.Text)
		}
	}
	line := c.name + " " + strings.Join(words, " ")
	for _, s := range setsUp {
		rest, ok := strings.CutPrefix(line, s+" ")
		name, _, _ := strings.Cut(strings.Fields(rest + " .")[0], "=")
		if ok && !(strings.HasPrefix(s, "npm") && harmlessNpm[name]) {
			return "it sets what " + c.name + " may run"
		}
	}
	return ""
}
