package program

import (
	"slices"
	"strings"
)

// textTable holds programs that print, cut and count. Those that are safe need
// no permission inside the workspace.
var textTable = map[string]*program{
	"cat":          {safe: true, inert: true, options: "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting"},
	"tac":          {safe: true, inert: true, options: "-b -r -s= --before --regex --separator="},
	"rev":          {safe: true, inert: true, options: "-0 --zero"},
	"nl":           {safe: true, inert: true, options: "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-width= --number-format= --number-separator= --starting-line-number="},
	"head":         {safe: true, inert: true, options: "-# -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated"},
	"tail":         {safe: true, inert: true, options: "-# -c= -n= -f -F -q -v -z -s= --bytes= --lines= --follow? --quiet --silent --verbose --zero-terminated --retry --sleep-interval="},
	"cut":          {safe: true, inert: true, options: "-b= -c= -d= -f= -s -n -z --bytes= --characters= --delimiter= --fields= --only-delimited --complement --output-delimiter= --zero-terminated"},
	"paste":        {safe: true, inert: true, options: "-d= -s -z --delimiters= --serial --zero-terminated"},
	"wc":           {safe: true, inert: true, options: "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total="},
	"stat":         {safe: true, inert: true, options: "-c= -f -t -x -r -s --format= --printf= --file-system --terse -L! --dereference!"},
	"ls":           {safe: true, inert: true, options: "-a -A -b -B -c -C -d -f -F -g -G -h -i -I= -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -1 -Z --all --almost-all --author --block-size= --classify? --color? --directory --file-type --format= --full-time --group-directories-first --hide= --human-readable --si --hyperlink? --indicator-style= --inode --ignore= --kibibytes --literal --no-group --numeric-uid-gid --quote-name --quoting-style= --recursive --reverse --size --sort= --time= --time-style= --width= --zero -L! --dereference! -H! --dereference-command-line!"},
	"uniq":         {safe: true, options: "-c -d -D -i -f= -s= -u -w= -z --count --repeated --all-repeated? --group? --ignore-case --skip-fields= --skip-chars= --unique --check-chars= --zero-terminated", also: secondWrites},
	"base64":       {safe: true, options: "-d -D -i -w= --decode --ignore-garbage --wrap="},
	"echo":         {safe: true, inert: true, operands: texts, options: "-n -e -E", also: anything},
	"expr":         {safe: true, operands: texts, also: anything},
	"true false :": {safe: true, operands: texts, also: anything},
	"exit":         {safe: true, operands: texts},
	"pwd":          {safe: true, operands: texts, options: "-L -P --logical --physical"},
	"whoami":       {safe: true, operands: texts},
	"id":           {safe: true, operands: texts, options: "-a -g -G -n -r -u -z -Z --group --groups --name --real --user --zero --context"},
	"uname":        {safe: true, operands: texts, options: "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system"},
	"which":        {safe: true, operands: texts, options: "-a -s --all"},
	"seq":          {safe: true, operands: texts, options: "-f= -s= -w --format= --separator= --equal-width"},
	"tr":           {safe: true, operands: texts, options: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1"},
	"numfmt":       {safe: true, operands: texts, options: "-d= -z --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding= --round= --suffix= --to= --to-unit= --zero-terminated"},
	"cd":           {safe: true, options: "-L -P -e", also: homeArguments},

	"sort":                {options: "--compress-program> -b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k= -t= -S= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --random-sort --reverse --version-sort --sort= --check? --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique --zero-terminated --debug --batch-size="},
	"comm join":           {inert: true, options: "-1 -2 -3 -i -z -a= -e= -j= -o= -t= -v= --check-order --nocheck-order --header --ignore-case --output-delimiter= --total --zero-terminated"},
	"fold fmt expand":     {inert: true, options: "-b -c -s -t= -u -w= -i -p= --bytes --spaces --width= --initial --tabs= --split-only --uniform-spacing"},
	"unexpand column pr":  {options: "-a -t -s= -c= --all --first-only --table --separator="},
	"od hexdump strings":  {inert: true, options: "-A= -c -C -b -d -j= -n= -N= -o -s= -t= -v -w? -x -a -e= --all"},
	"xxd":                 {options: "-a -b -c= -e -g= -i -l= -o= -p -s= -u", also: secondWrites},
	"cmp diff":            {inert: true, also: compares, options: "-a -b -B -c -C= -d -e -E -i -l -n -N -p -q -r -s -t -T -u -U= -w -W= -y -Z --brief --color? --context? --exclude= --ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines= --ignore-space-change --label= --minimal --new-file --recursive --report-identical-files --side-by-side --strip-trailing-cr --suppress-common-lines --text --unified? --verbose --width="},
	"md5sum sha1sum":      {inert: true, options: "-b -c -t -z --binary --check --tag --text --quiet --status --strict --warn --ignore-missing"},
	"sha256sum sha512sum": {inert: true, options: "-b -c -t -z --binary --check --tag --text --quiet --status --strict --warn --ignore-missing"},
	"cksum sum b2sum":     {inert: true, options: "-r -s -a= --algorithm= --check"},
	"basename dirname":    {operands: texts, inert: true, options: "-a -s= -z --multiple --suffix= --zero"},
	"realpath readlink":   {inert: true, options: "-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --relative-to= --relative-base= --no-symlinks --zero"},
	"file":                {options: "-b -i -I -L -h -k -n -p -r -s -F= --brief --mime --mime-type --mime-encoding --dereference --no-dereference"},
	"du df":               {inert: true, options: "-a -b -B= -c -d= -D -h -H -i -k -l -m -P -s -S -t= -T -x -0 --all --apparent-size --bytes --human-readable --inodes --max-depth= --summarize --total --exclude= --output? --type= --local --portability"},
	"tree":                {options: "-a -d -f -i -l -x -L= -P= -I= -p -u -g -s -h -D -F -v -t -c -U -r -n -C -J -X --noreport --prune --dirsfirst --gitignore --filelimit= --matchdirs --charset=", operands: files},
	"date":                {operands: texts, options: "-d= -I? -R -u --date= --iso-8601? --rfc-3339= --rfc-email --utc --universal", also: unless("+")},
	"sleep nproc":         {operands: texts, options: "--all --ignore="},
	"hostname":            {operands: texts, options: "-f -s --fqdn --short", also: unless("-")},
	"tty groups":          {operands: texts},
	"printf":              {operands: texts, also: intoVariable},
	"test [":              {operands: texts, also: intoVariable},
	"set":                 {safe: true, operands: texts, options: "-e -u -x -f -o=", also: stricter},
	"shift umask ulimit type times break continue return": {operands: texts},
	"wait":           {operands: texts, also: intoVariable},
	"kill":           {operands: texts, options: "-l -L"},
	"jq":             {operands: pattern, also: loads, options: "-c -r -j -a -s -S -e -n -R -M -C --compact-output --raw-output --join-output --slurp --sort-keys --exit-status --null-input --raw-input --tab --indent= --monochrome-output --color-output --ascii-output --stream"},
	"yq":             {operands: pattern, also: loads, options: "-r -c -P -o= -p= -M -C -N -e --prettyPrint --output-format= --input-format= --no-colors"},
	"ps":             {operands: texts, also: environments, options: "-a -e -f -l -u= -x -A -o= -p= -F -C= --forest --sort= --no-headers"},
	"top pgrep lsof": {operands: texts, options: "-a -f -l -u= -x -A -p= -F -n -P -i?"},
}

// anything takes all words literally: nothing is an option.
func anything(c *Call, _ use) {
	c.p.Least, c.unread = 1, false
}

// secondWrites handles programs whose second operand is written. A pattern may
// expand to two.
func secondWrites(c *Call, u use) {
	for n, a := range u.operands() {
		if n == 1 || !a.value.Known {
			c.requireWords(a.at)
		}
	}
}

// unless handles programs whose operands set something, except those that begin
// with mark.
func unless(mark string) func(*Call, use) {
	return func(c *Call, u use) {
		c.requireOperands(u, func(w Word) bool { return !strings.HasPrefix(w.Text, mark) })
	}
}

// loads requires a rule to name an expression that reads files.
func loads(c *Call, u use) {
	c.requireOperands(u, func(w Word) bool { return holdsAny(w.Text, "load", "import", "include") })
}

// environments requires a rule to name the letter with which ps shows the
// environments of processes: an e without a dash.
func environments(c *Call, u use) {
	c.requireOperands(u, func(w Word) bool { return strings.Contains(w.Text, "e") })
}

// homeArguments handles cd without a directory.
func homeArguments(c *Call, u use) {
	c.unread = c.unread || !slices.ContainsFunc(u.operands(), func(a argument) bool { return !a.value.Is("-") && a.value.Text != "" })
}

// intoVariable handles builtins whose -v evaluates its argument, including a
// subscript.
func intoVariable(c *Call, _ use) {
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w.Text, "-v") || w.Is("-R") || c.name == "wait" && strings.HasPrefix(w.Text, "-") {
			c.p.MarkUnknown("it evaluates the name of a variable")
		}
	}
	c.p.Least = 1
}

// stricter handles set: only options that make the shell stricter or more
// verbose are covered.
func stricter(c *Call, u use) {
	c.unread = c.unread || len(u.args) == 0 // it prints all variables
	for _, a := range u.args {
		switch {
		case a.option == "":
			c.p.MarkUnknown("it changes the shell's positional parameters")
		case a.option == "-o" && !a.value.Is("pipefail", "errexit", "nounset", "xtrace", "noglob"):
			c.p.MarkUnknown("it changes how the shell reads")
		case !a.listed:
			c.p.MarkUnknown("it changes how the shell reads")
		}
	}
}
