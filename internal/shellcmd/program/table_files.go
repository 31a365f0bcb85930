package program

import (
	"regexp"
	"strconv"
	"strings"
)

// fileTable holds programs that change files. A rule that names one covers what
// it does inside the workspace.
var fileTable = map[string]*program{
	"mkdir":     {operands: targets, options: "-p -v --parents --verbose"},
	"rmdir":     {operands: targets, options: "-p -v --parents --verbose --ignore-fail-on-non-empty"},
	"touch":     {operands: targets, options: "-a -c -m -h -d= -t= -r@ --no-create --date= --time= --reference@"},
	"cp":        {operands: targets, options: "-a -d -f -i -n -p -P -r -R -T -u -v -x --archive --force --interactive --no-clobber --no-dereference --preserve? --recursive --update? --verbose --no-target-directory --parents"},
	"mv":        {operands: targets, options: "-f -i -n -T -u -v --force --interactive --no-clobber --update? --verbose --no-target-directory"},
	"rm unlink": {operands: targets, options: "-d -f -i -I -r -R -v --dir --force --interactive? --recursive --verbose"},
	"ln":        {operands: targets, options: "-f -i -n -r -s -T -v --force --relative --symbolic --verbose --no-target-directory --no-dereference"},
	"chmod":     {operands: targets, options: "-R -c -f -v --recursive --changes --quiet --verbose", also: ownersRights},
	"chown":     {operands: targets, options: "-h -v"},
	"tee":       {operands: targets, options: "-a -i -p --append --ignore-interrupts"},
	"truncate":  {operands: targets, options: "-c -s= --no-create --size="},
	"install":   {operands: targets, options: "-d -m= -v -D -p --directory --mode= --verbose", also: ownersRights},
	"split":     {operands: targets, options: "--filter> -l= -b= -n= -d -a= --lines= --bytes= --number= --numeric-suffixes?"},
	"patch":     {operands: targets, options: "-p= -s -N -R --strip= --dry-run --quiet --forward --reverse"},
	"dd": {operands: texts, also: func(c *Call, u use) {
		for _, a := range u.args { // of=, if= and all others are operands
			c.requireWords(a.at)
		}
	}},
	"gofmt gofumpt goimports": {operands: files, single: true, options: "-l -d -e -s -extra"},
	"clang-format":            {operands: files, single: true, options: "-n -dry-run -Werror -style= -fallback-style= -verbose -version"},
	"prettier":                {operands: files, options: "-c -l --check --list-different --log-level="},
	"eslint":                  {operands: files, options: "--ext= --max-warnings= --quiet --no-color --color"},
	"tsc":                     {operands: files, single: true, options: "-noEmit -pretty -watch -strict -skipLibCheck -version -listFiles -traceResolution -diagnostics"},
	"shellcheck":              {operands: files, options: "-s= -S= -e= -f= -x -o= --shell= --severity= --exclude= --format= --color?"},
}

// ownersRights requires a rule to name a mode by which others run a file with the rights of
// its owner or group.
func ownersRights(c *Call, u use) {
	for _, a := range u.args {
		if w := a.value; w.Known && setsID(w.Text) {
			c.requireWords(a.at)
		}
	}
}

// setsID reports whether a word is a mode by which others run a file with the rights of its
// owner or its group, such as u+s and 4755.
func setsID(mode string) bool {
	if n, err := strconv.ParseUint(strings.TrimLeft(mode, "ugoa=+-"), 8, 32); err == nil {
		return n&0o6000 != 0
	}
	return symbolic.MatchString(mode)
}

var symbolic = regexp.MustCompile(`^[ugoarwxXst,+=-]*[+=][rwxXt]*s[ugoarwxXst,+=-]*$`)
