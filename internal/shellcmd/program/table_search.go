package program

import (
	"strings"
)

// searchTable holds programs that search for files and in files.
var searchTable = map[string]*program{
	"grep egrep fgrep": {safe: true, operands: pattern, inert: true, also: searches, options: `
		-# -E -F -G -P -e= -f@ -i -y -v -w -x -z -c -L -l -m= -o -q -s -b -H -h -n -T -Z -A= -B= -C= -a -I -r -U
		--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file@ --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --null-data
		--count --color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename
		--label= --line-number --initial-tab --null --after-context= --before-context= --context= --text --binary-files= --binary --directories= --exclude= --exclude-dir= --include= --recursive --line-buffered
		--exclude-from@ -R! --dereference-recursive! -D=! --devices=!`},
	"rg": {safe: true, operands: pattern, also: searches, options: `
		-# -e= --regexp= -f@ --file@ -i --ignore-case -s --case-sensitive -S --smart-case -v --invert-match -w --word-regexp -x --line-regexp -F --fixed-strings -P --pcre2 -U --multiline --multiline-dotall
		-c --count --count-matches -l --files-with-matches --files-without-match --files -m= --max-count= -o --only-matching -q --quiet -n --line-number -N --no-line-number -H --with-filename -I --no-filename
		-A= --after-context= -B= --before-context= -C= --context= --column --no-column --color= --colors= --heading --no-heading -p --pretty --json --vimgrep --trim -b --byte-offset -0 --null --null-data
		-g= --glob= --iglob= --glob-case-insensitive -t= --type= -T= --type-not= --type-list --sort= --sortr= --stats --max-columns= -M= --max-columns-preview --max-depth= -d= --max-filesize= -r= --replace= --passthru
		--no-config --no-messages --no-ignore-messages --line-buffered --block-buffered -j= --threads= --engine= --encoding= -E= --crlf --no-unicode --one-file-system --context-separator= --field-match-separator=
		--pre> --hostname-bin> -u! --unrestricted! -.! --hidden! --no-ignore! --no-ignore-vcs! --no-ignore-parent! --no-ignore-dot! --no-ignore-global! --no-ignore-files! -L! --follow! -a! --text! --binary!`},
	"ag ack": {operands: pattern, also: searches, options: "-i -v -w -l -L -c -o -A= -B= -C= -Q -s -S -n -m= --nocolor --color --nogroup --group --heading --noheading --literal --ignore-case --files-with-matches --count --column"},
	"fd fdfind": {operands: pattern, options: "-H -I -s -i -g -F -a -l -L -p -0 -d= -t= -e= -E= -S= -1 -q --hidden --no-ignore --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --full-path --print0 --max-depth= --min-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --color= --max-results= --strip-cwd-prefix", also: func(c *Call, _ use) {
		for i, w := range c.words {
			if option, value, ok := strings.Cut(w.Text, "="); ok && HasName("--exec --exec-batch", option) {
				c.analyzeCode(Word{Text: value, Source: value, Known: w.Known}, c.s)
			} else if len(w.Text) > 2 && (strings.HasPrefix(w.Text, "-x") || strings.HasPrefix(w.Text, "-X")) {
				c.analyzeCode(Word{Text: w.Text[2:], Source: w.Text[2:], Known: w.Known}, c.s)
			} else if w.Is("-x", "-X", "--exec", "--exec-batch") {
				s := c.s
				s.Fed, s.Filled = true, "{"
				c.looksThrough([]Word{{}})
				c.line.walker.Inner(c.words[i+1:], s, false)
			}
		}
	}},
	"find": {safe: true, single: true, also: finds, options: `
		-H -P -O1 -O2 -O3 -L! -follow! -amin= -anewer@ -atime= -cmin= -cnewer@ -ctime= -daystart -depth -empty -executable -false -fstype= -gid= -group= -ilname= -iname= -inum= -ipath= -iregex= -links= -lname= -ls
		-maxdepth= -mindepth= -mmin= -mount -mtime= -name= -newer@ -newerat= -newermt= -newerct= -newermm@ -nogroup -noleaf -nouser -path= -perm= -print -print0 -printf= -prune -quit -readable -regex= -regextype= -samefile@ -size= -true -type= -uid= -used= -user= -wholename= -writable
		-xdev -xtype= -a -and -o -or -not -warn -nowarn -exec;! -execdir;! -ok;! -okdir;!`},
	"locate": {operands: texts},
}

// finds handles find -exec and the like.
func finds(c *Call, u use) {
	for _, w := range c.words {
		if !w.Known { // find has no -- to end its options
			c.p.MarkUnknown("its pattern may expand to an action")
		}
	}
	var names []Word
	for _, a := range u.args {
		if a.option == "" && a.at == len(names)+1 {
			names = append(names, a.value)
		}
		if a.end > 0 {
			c.requireWords(a.at)
			if len(names) == 0 {
				names = []Word{{}} // anywhere
			}
			c.looksThrough(names)
			s := c.s
			s.Fed, s.Filled = true, "{}"
			c.line.walker.Inner(c.words[a.at+1:a.end], s, false)
		}
	}
}
