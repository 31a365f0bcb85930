package shell

import "strings"

// shells run text or scripts.
var shells = set("sh bash zsh dash ksh mksh ash fish rbash")

// A wrapper is a program that runs another, which its arguments name.
type wrapper struct {
	valued   string // its options that take a value of their own, by space
	operands int    // what stands between its options and the program
	assigns  bool   // NAME=value may stand there too
	text     bool   // what follows is put together and read by a shell
}

var wrappers = map[string]wrapper{
	"env":      {valued: "-u --unset -C --chdir", assigns: true},
	"xargs":    {valued: "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-lines --max-args --max-procs --max-chars --replace"},
	"nohup":    {},
	"nice":     {valued: "-n --adjustment"},
	"ionice":   {valued: "-c -n --class --classdata"},
	"chrt":     {valued: "-T -P -D", operands: 1},
	"taskset":  {operands: 1},
	"timeout":  {valued: "-k -s --kill-after --signal", operands: 1},
	"stdbuf":   {valued: "-i -o -e --input --output --error"},
	"setsid":   {},
	"unbuffer": {},
	"time":     {valued: "-f -o --format --output"},
	"command":  {},
	"builtin":  {},
	"exec":     {valued: "-a"},
	"busybox":  {},
	"toybox":   {},
	"flock":    {valued: "-w -E --timeout --conflict-exit-code", operands: 1},
	"watch":    {valued: "-n --interval", text: true},
	"strace":   {valued: "-e -o -p -s -P -a"},
	"chroot":   {operands: 1},
	"xvfb-run": {valued: "-e -f -n -p -s -w"},
	"parallel": {valued: "-j --jobs", text: true},
	"ssh":      {valued: "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", operands: 1, text: true},
	"npx":      {valued: "-p --package -c --call"},
}

// inner is the command line that a wrapper runs. An option that is not known
// begins it, so that it is not taken for one that is.
func (w wrapper) inner(args []word) []word {
	skip := w.operands
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.known && skip == 0:
			return args[i:]
		case a.is("--"):
		case a.known && strings.HasPrefix(a.text, "-") && len(a.text) > 1:
			for _, v := range strings.Fields(w.valued) {
				if a.text == v {
					i++
				}
			}
		case a.known && w.assigns && strings.Contains(a.text, "="):
		case skip > 0:
			skip--
		default:
			return args[i:]
		}
	}
	return nil
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}
