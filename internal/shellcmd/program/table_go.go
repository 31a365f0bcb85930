package program

import (
	"strings"
)

// goBuilding lists options of the commands that build, without those that name
// programs to run (-ldflags, -gcflags), files to write (-o, the profiles) or
// another place (-C, -overlay, -modfile, -pkgdir).
const goBuilding = "-exec> -toolexec> -a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -buildmode= -buildvcs= -mod= -modcacherw -tags= -trimpath -json "

// goTable holds the go command: a rule names the sub-command.
var goTable = map[string]*program{
	"go": {single: true, operands: texts, commands: map[string]*program{
		"build":    {single: true, offers: true, options: goBuilding, also: goPackages},
		"test":     {single: true, offers: true, options: goBuilding + "-run= -skip= -bench= -benchmem -benchtime= -count= -cpu= -failfast -fullpath -fuzz= -fuzztime= -fuzzminimizetime= -list= -parallel= -short -shuffle= -timeout= -vet=", also: goTest},
		"vet":      {single: true, offers: true, options: goBuilding + "-vettool> ", also: goPackages},
		"fmt":      {single: true, offers: true, options: "-n -x -mod=", also: goPackages},
		"list":     {single: true, offers: true, options: goBuilding + "-f= -m -u -e -deps -test -find -compiled -export -versions -retracted", also: goPackages},
		"doc":      {single: true, offers: true, operands: texts, options: "-all -c -cmd -short -src -u"},
		"version":  {single: true, options: "-m -v"},
		"env":      {single: true, operands: texts, options: "-json -changed", also: goEnv},
		"generate": {single: true, options: "-run= -skip= -n -v -x -tags= -mod=", also: goPackages},
		"run":      {single: true, operands: lines, options: goBuilding, also: goRun},
		"install":  {single: true, options: goBuilding, also: goPackages},
		"get":      {single: true, network: true, operands: texts, options: "-u? -t -v -x -tags="},
		"clean":    {single: true, options: "-n -x -i -r -cache -testcache -modcache -fuzzcache"},
		"mod": {single: true, commands: map[string]*program{
			"tidy":     {single: true, operands: texts, options: "-v -x -e -diff -go= -compat="},
			"download": {single: true, network: true, operands: texts, options: "-x -json"},
			"vendor":   {single: true, operands: texts, options: "-v -e"},
			"verify":   {single: true, operands: texts},
			"graph":    {single: true, operands: texts, options: "-go= -x"},
			"why":      {single: true, operands: texts, options: "-m -vendor"},
			"init":     {single: true, operands: texts},
		}},
		"work": {single: true, commands: map[string]*program{"sync": {single: true}, "use": {single: true, options: "-r"}}},
		"tool": {single: true, operands: lines, also: named},
		"help": {single: true, operands: texts},
	}},
	"golangci-lint": {commands: map[string]*program{
		"run":  {offers: true, options: "-v -E= -D= --enable= --disable= --timeout= --fast --fast-only --no-config --new --tests? --build-tags= --color="},
		"help": {operands: texts}, "linters": {operands: texts}, "version": {operands: texts},
	}},
	"staticcheck govulncheck gopls": {single: true, options: "-checks= -tests -tags= -f= -json -show= -test -mode="},
}

// goPackages handles operands that name packages from elsewhere, and options
// that select a linker.
func goPackages(c *Call, u use) {
	for _, a := range u.args {
		if a.option != "" && strings.Contains(c.words[a.at].Text, "-extld") {
			c.Evaluates(whyRunsNamed)
		}
		if a.option == "" && strings.Contains(a.value.Text, "@") {
			c.p.connects()
			c.requireWords(a.at)
		}
	}
}

// goTest handles -args, which passes the rest to the test.
func goTest(c *Call, u use) {
	for i, w := range c.words {
		if w.Is("-args", "--args") {
			c.requireWords(i)
		}
	}
	goPackages(c, u)
}

// goEnv handles go env, which can set what every later call of go starts.
func goEnv(c *Call, u use) {
	for _, a := range u.args {
		if a.option == "-w" {
			c.Evaluates("it sets what go runs")
		}
	}
}

// goRun requires a rule to name a package from elsewhere, or a file.
func goRun(c *Call, u use) {
	if u.next >= len(c.words) {
		return
	}
	w := c.words[u.next]
	if strings.Contains(w.Text, "@") {
		c.p.connects()
	}
	if !strings.HasPrefix(w.Text, "./") && w.Text != "." || c.line.Reach(w.Text, c.s.In) != InsideWorkspace {
		c.requireWords(u.next)
	}
}

// named handles sub-commands that run what the next word names.
func named(c *Call, u use) {
	if u.next < len(c.words) {
		c.requireWords(u.next)
	}
}
