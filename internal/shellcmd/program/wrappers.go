package program

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
)

// A wrapper is a program that runs another, which its arguments name.
type wrapper struct {
	// options is written as in [program]. Options with an exclamation mark, and
	// options that are not listed, change what the wrapped command can do.
	options  string
	code     string // options whose value is a command line
	operands int    // number of operands before the program
	assigns  bool   // NAME=value may precede the program
	text     bool   // the rest is joined and read by a shell
	passes   bool   // it does not change what the wrapped command can do
	fed      bool   // it fills in or appends words
	loose    bool   // its words alone do not show where the program is
	network  bool
	opaque   string // why it may run more than what follows

	program *program
}

var wrappers = sync.OnceValue(func() map[string]wrapper {
	rows := map[string]wrapper{
		// These only run the command.
		"timeout": {options: "-k= --kill-after= -s= --signal= --foreground --preserve-status -v --verbose", operands: 1, passes: true},
		"nice":    {options: "-n= --adjustment= -#", passes: true},
		"ionice":  {options: "-c= --class= -n= --classdata= -t --ignore -p=! --pid=!", passes: true},
		"stdbuf":  {options: "-i= --input= -o= --output= -e= --error=", passes: true},
		"time":    {options: "-p -v --verbose --portability -q --quiet -f= --format= -a! --append! -o=! --output=!", passes: true},
		"env":     {options: "-u=! --unset=! -C=! --chdir=! -i! --ignore-environment! -0! --null! -v! --debug!", code: "-S --split-string", assigns: true, passes: true},
		"command": {options: "-p!", passes: true},
		"builtin": {passes: true},
		"exec":    {options: "-c! -l! -a=!", passes: true},
		"eval":    {text: true, passes: true},

		// These run it in the background or under observation, or change how it
		// runs.
		"nohup setsid unbuffer caffeinate rlwrap catchsegv dbus-run-session linux32 linux64":                            {options: "-w! --wait! -f! --fork! -c! --ctty!"},
		"fakeroot eatmydata chronic ssh-agent dbus-launch proot cpulimit prlimit setpriv firejail bwrap busybox toybox": {},

		"setarch arch x86_64 i386 i686 uname26": {options: "-R!", loose: true},
		"direnv":                                {operands: 2},
		"mise":                                  {operands: 1, loose: true},
		"cross-env":                             {assigns: true},
		"hyperfine":                             {options: "-w=! -r=! -m=! -M=! -N! -i!", text: true},
		"chrt":                                  {options: "-T=! -P=! -D=! -b! -f! -i! -o! -r! -a! -v!", operands: 1},
		"taskset":                               {options: "-c! --cpu-list! -a! --all-tasks!", operands: 1},
		"numactl":                               {options: "-N=! -m=! -C=! -i=!"},
		"flock":                                 {options: "-w=! --timeout=! -E=! --conflict-exit-code=! -n! --nonblock! -s! --shared! -x! --exclusive! -e! -u! --unlock! -o! --close! -F! --no-fork! -v! --verbose!", operands: 1},
		"watch":                                 {options: "-n=! --interval=! -d? -b! -e! -g! -c! -t! -p! -x!", text: true},
		"entr":                                  {options: "-c! -d! -n! -p! -r! -s! -z! -a!", fed: true},
		"strace ltrace":                         {options: "-e=! -o=! -p=! -s=! -P=! -a=! -f! -c! -q! -v! -t! -u=! -E=!"},
		"perf":                                  {operands: 1, loose: true},
		"gdb lldb":                              {options: "--args!", loose: true, opaque: WhyInterprets},
		"choom":                                 {options: "-n=! --adjust=!", loose: true},

		"valgrind ld.so coresched uclampset softlimit chpst setuidgid envdir envuidgid gosu su-exec tini dumb-init": {loose: true},
		"runcon sshpass cgexec schedtool aa-exec systemd-inhibit systemd-cat capsh ip":                              {loose: true},
		"ifne pee daemonize daemon dtach abduco rr heaptrack apptainer singularity flatpak-spawn":                   {loose: true},
		"script":   {options: "-q! --quiet! -a! -e! -f!", code: "-c --command", operands: 1},
		"xvfb-run": {options: "-e=! -f=! -n=! -p=! -s=! -w=! -a! --auto-servernum! --server-args=!"},
		"faketime": {options: "-f! -m! -p!", operands: 1},

		// These give it other permissions than the user's.
		"sudo":              {options: "-u=! --user=! -g=! --group=! -h=! -p=! -C=! -D=! -R=! -T=! -r=! -t=! -U=! -n! -S! -E! -H! -i! -s! -k! -b! -A! --non-interactive! --preserve-env?! --login! --shell!", assigns: true},
		"doas":              {options: "-u=! -C=! -n! -s! -L!"},
		"runuser":           {options: "-u=! --user=! -g=! --group=! -G=! -w=! -l! --login! -m! -p! -!", code: "-c --command --session-command", loose: true},
		"sg":                {code: "-c", operands: 1},
		"su":                {options: "-s=! --shell=! -g=! --group=! -G=! -w=! -u=! -l! --login! -m! -p! -f! -!", code: "-c --command --session-command", operands: 1},
		"pkexec":            {options: "--user=! --disable-internal-agent! --keep-cwd!"},
		"chroot":            {options: "--userspec=! --groups=! --skip-chdir!", operands: 1},
		"unshare nsenter":   {options: "-m! -u! -i! -n! -p! -U! -C! -f! -r! -t=! -a! -S=! -G=! -R=! -w? --fork! --map-root-user! --mount! --net! --pid! --user! --mount-proc!"},
		"systemd-run":       {options: "--user! --scope! --wait! --pty! -t! -P! --pipe! -q! -p=! --property=! -u=! --unit=! --on-active=! -d! -G! --collect! -E=! --setenv=!"},
		"start-stop-daemon": {options: "-S! --start! -b! --background! -q! -p=! --pidfile=!", code: "-x --exec -a --startas"},

		// These run it with words of their own choosing, or on another machine.
		"xargs":                             {options: "-0! --null! -r! --no-run-if-empty! -t! -p! -x! -o! -a=! --arg-file=! -d=! --delimiter=! -E=! -I=! -i?! -J=! --replace?! -L=! -l?! --max-lines?! -n=! --max-args=! -P=! --max-procs=! -s=! --max-chars=!", fed: true},
		"parallel":                          {options: "-j=! --jobs=! -k! --keep-order! -0! --null! -a=! -n=! -N=! -I=! -X! -m! --bar! --halt=! --dry-run!", text: true, fed: true},
		"ssh":                               {options: "-4! -6! -A! -a! -C! -f! -G! -g! -K! -k! -M! -N! -n! -q! -s! -T! -t! -V! -v! -X! -x! -Y! -y! -B=! -b=! -c=! -D=! -E=! -e=! -F=! -I=! -i=! -J=! -L=! -l=! -m=! -O=! -o=! -p=! -Q=! -R=! -S=! -W=! -w=!", operands: 1, text: true, network: true},
		"torsocks proxychains proxychains4": {options: "-q! -f=!", network: true},
	}
	for names, w := range rows {
		w.program = &program{options: w.options, operands: lines}
		for o := range strings.FieldsSeq(w.code) {
			w.program.options += " " + o + "=!"
		}
		rows[names] = w
	}
	return ByName(rows)
})

// wrapped analyzes what a wrapper runs. If the wrapper changes nothing, only
// the wrapped command is judged. Otherwise a rule has to name the wrapper up to
// the program, and the program needs a rule too.
func (c *Call) wrapped(w wrapper) {
	args, next := w.program.arguments(c.words, 1)
	plain, doubt := w.passes, w.loose
	s := c.s
	if s.Fed = s.Fed || w.fed; w.fed { // with file names from anywhere
		c.looksThrough([]Word{{}})
		s.Filled = filledBy(c.name, args)
	}
	if w.network {
		c.p.connects()
	}
	if c.name == "ssh" {
		proxied(c, args)
	}
	for _, a := range args {
		kind, _ := w.program.listed(a.option)
		if !a.listed || kind&unreading != 0 {
			c.requireWords(a.at)
			plain, doubt = false, doubt || !a.listed
		}
		if strings.ContainsAny(a.value.Text[:min(1, len(a.value.Text))], "|!") { // strace -o '|program'
			c.Evaluates(whyRunsNamed)
		}
		if HasName(w.code, a.option) {
			plain = false
			c.analyzeCode(a.value, s)
		}
	}
	for i := next; w.code != "" && i+1 < len(c.words); i++ { // su - root -c 'text'
		if c.words[i].Known && HasName(w.code, c.words[i].Text) {
			plain = false
			c.requireWords(i + 1)
			c.analyzeCode(c.words[i+1], s)
		}
	}
	for w.assigns && next < len(c.words) && strings.Contains(c.words[next].Text, "=") {
		c.requireWords(next)
		name, value, _ := strings.Cut(c.words[next].Text, "=")
		c.line.Assign(c.p, name, Word{Text: value, Source: c.words[next].Source, Known: c.words[next].Known}, c.s)
		plain = false
		next++
	}
	if next += w.operands; next >= len(c.words) {
		if w.network {
			c.requireWords(len(c.words) - 1)
		}
		asShell := HasName("sudo doas", c.name) && slices.ContainsFunc(args, func(a argument) bool { return HasName("-s -i --shell --login", a.option) })
		if !c.s.Handed && (c.s.Fed || asShell || HasName(startShells, c.name)) { // a shell that reads its input
			c.Evaluates(WhyRunsFilled)
		}
		if w.opaque != "" {
			c.Evaluates(w.opaque)
		}
		if c.moved = w.text; c.name == "exec" {
			c.p.MarkUnknown("it changes what later commands read and write")
		}
		return
	}
	if c.words[next].Is("--") && next+1 < len(c.words) {
		next++
	}
	l := c.words[next:]
	doubt = doubt || strings.HasPrefix(l[0].Text, "-")
	if c.name == "parallel" && strings.HasPrefix(l[0].Text, ":::") {
		c.Evaluates(WhyRunsFilled)
	}
	if w.opaque != "" {
		c.Evaluates(w.opaque)
	}
	switch {
	case w.text:
		c.analyzeText(l, s, doubt)
	case len(l) > 1 && l[0].Is("-c"): // flock file -c 'text'
		c.analyzeCode(l[1], s)
		plain = false
	default:
		c.line.walker.Inner(l, s, doubt)
	}
	c.moved = w.text || MovesFolder[l[0].Text]
	if c.p.Passes = plain && c.p.Known; !c.p.Passes {
		c.requireWords(next)
	}
}

// startShells lists the wrappers that start a shell if no program is given.
const startShells = "parallel ssh nsenter unshare chroot script su sg setarch x86_64 i386 i686 uname26 linux32 linux64 fakeroot proot firejail capsh schroot flatpak-spawn xvfb-run runuser setpriv systemd-run"

// filledBy returns the text that a wrapper replaces in the words of what it
// runs.
func filledBy(name string, args []argument) string {
	if name == "parallel" {
		return "{"
	}
	filled := ""
	for _, a := range args {
		if HasName("-I -J -i --replace", a.option) {
			if filled = a.value.Text; filled == "" {
				filled = "{}"
			}
		}
	}
	return filled
}

// loader matches the dynamic loader, which runs the program that its first
// operand names.
var loader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ld(?:-[a-z0-9_.-]+)?\.so(?:\.[0-9]+)?$`)
})

// analyzeCode analyzes a word that is a command line.
func (c *Call) analyzeCode(w Word, s Scope) {
	if s.Filled != "" && strings.Contains(w.Text, s.Filled) {
		c.Evaluates(WhyRunsFilled)
	}
	if !w.Known {
		c.p.MarkUnknown(WhyUntold)
		c.unseen(w.Source, WhyUntold)
	}
	c.line.walker.Script(c.p, w.Text, s, nil)
}

// unseen adds a part without words for a command line that is not known before
// it runs. Rules that deny may apply to it.
func (c *Call) unseen(text, why string) {
	c.p.Destructive = why
	c.line.walker.Add(Part{Text: text, Inside: true, Why: why, Destructive: why})
}

// analyzeText analyzes words that are joined to a command line. If all of them are
// plain, reading them again would change nothing.
func (c *Call) analyzeText(l []Word, s Scope, doubt bool) {
	if !canonical.Reserved[l[0].Text] && !slices.ContainsFunc(l, func(w Word) bool { return !w.plain }) {
		c.line.walker.Inner(l, s, doubt)
		return
	}
	var b strings.Builder
	for i, w := range l {
		if !w.Known {
			c.p.MarkUnknown(WhyUntold)
			c.unseen(w.Source, WhyUntold)
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	c.line.walker.Script(c.p, b.String(), s, nil)
}

// HasName reports whether name is among names, which are separated by blanks.
func HasName(names, name string) bool {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return true
		}
	}
	return false
}

// ByName returns the rows of a table by each of the names that their keys list.
func ByName[V any](rows map[string]V) map[string]V {
	m := map[string]V{}
	for names, row := range rows {
		for name := range strings.FieldsSeq(names) {
			m[name] = row
		}
	}
	return m
}

// NameSet returns the set of names, which are separated by blanks.
func NameSet(names string) map[string]bool {
	m := map[string]bool{}
	for n := range strings.FieldsSeq(names) {
		m[n] = true
	}
	return m
}
