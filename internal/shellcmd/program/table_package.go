package program

import (
	"slices"
	"strings"
)

// packageRunning lists options of the commands that fetch a package and run it.
const packageRunning = "-y --yes --no-install --no -q --quiet -p=! --package=! -c=! --call=!"

// packageTable holds programs that install packages, and may run code from
// them.
var packageTable = map[string]*program{
	"npm pnpm yarn": {operands: texts, also: npmArguments, options: "--shell> --git> --editor> --viewer> --browser> -s -d -v --silent --version --loglevel= --no-color --no-audit --no-fund --offline", same: map[string]string{
		"i": "install", "in": "install", "isntall": "install", "add": "install", "t": "test", "tst": "test", "run-script": "run", "rum": "run", "urn": "run", "x": "exec", "un": "uninstall", "remove": "uninstall", "rm": "uninstall", "r": "uninstall", "unlink": "uninstall", "up": "update", "upgrade": "update", "la": "ls", "ll": "ls", "list": "ls",
	}, commands: map[string]*program{
		"test":      {offers: true, operands: texts, options: "-s --silent --if-present"},
		"run":       {operands: texts, options: "-s --silent --if-present", also: requireSubCommand(1)},
		"start":     {operands: texts},
		"stop":      {operands: texts},
		"build":     {operands: texts},
		"ci":        {network: true, offers: true, operands: texts, options: "--ignore-scripts --no-audit --no-fund --prefer-offline --offline"},
		"install":   {network: true, operands: texts, options: "-D -E -S -P -O --save --save-dev --save-exact --save-optional --save-peer --no-save --ignore-scripts --no-audit --no-fund --prefer-offline --offline --frozen-lockfile --legacy-peer-deps"},
		"uninstall": {operands: texts, options: "-D -S --save --save-dev --no-save"},
		"update":    {network: true, operands: texts, options: "--no-audit --no-fund"},
		"exec":      {operands: lines, options: packageRunning, also: runsPackage},
		"dlx":       {operands: lines, options: packageRunning, also: runsPackage},
		"create":    {operands: lines, options: packageRunning, also: runsPackage},
		"init":      {operands: lines, options: packageRunning, also: runsPackage},
		"publish":   {network: true, operands: texts, options: "--dry-run"},
		"view":      {network: true, operands: texts, options: "--json"},
		"outdated":  {network: true, operands: texts, options: "--json -l --long --all"},
		"audit":     {network: true, operands: texts, options: "--json --production --omit="},
		"ls":        {operands: texts, options: "-a -l --all --depth= --json --long --parseable --omit="},
		"why":       {operands: texts, options: "--json"},
		"version":   {operands: texts},
	}},
	"npx pnpx bunx": {operands: lines, options: packageRunning, also: runsPackage},
	"pip pip3 uv pipx poetry pdm pipenv conda mamba": {operands: texts, options: "-q -v -V --quiet --verbose --version --no-input --no-color --disable-pip-version-check", also: fetches("install download wheel index search sync lock add update upgrade create tool self inject runpip"), commands: map[string]*program{
		"list":   {operands: texts, options: "-o --outdated --format= --not-required"},
		"show":   {operands: texts, options: "-f --files"},
		"freeze": {operands: texts, options: "-l --local --all"},
		"check":  {operands: texts},
		"run":    {operands: lines, options: packageRunning, also: runsPackage},
	}},
	"gem bundle bundler composer": {operands: texts, also: fetches("install update add outdated lock package cache fetch search require create-project")},
	"brew apt apt-get dnf yum pacman apk snap flatpak port cpan cpanm luarocks opam go-get": {network: true, operands: texts, also: requireSubCommand(1)},
	"nix nix-env nix-shell": {network: true, operands: texts, options: "--run> --command>", also: func(c *Call, u use) {
		requireSubCommand(1)(c, u)
		for i, w := range c.words {
			if w.Is("-c", "--command") && i+1 < len(c.words) {
				c.line.walker.Inner(c.words[i+1:], c.s, true)
			}
			if w.Is("-E", "--expr") {
				c.Evaluates(WhyInterprets)
			}
		}
	}},
	"dpkg rpm": {operands: texts, also: requireSubCommand(1)},
}

// npmArguments handles yarn without arguments, which installs.
func npmArguments(c *Call, _ use) {
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w.Text, "--script-sh") || strings.HasPrefix(w.Text, "--node-o") {
			c.Evaluates(whyRunsNamed)
		}
	}
	if len(c.words) == 1 && c.name == "yarn" {
		c.p.connects()
	}
}

// fetches handles package managers of which these sub-commands use the network. Without one,
// Bundler installs.
func fetches(names string) func(*Call, use) {
	all, one := NameSet(names), requireSubCommand(1)
	return func(c *Call, u use) {
		one(c, u)
		l := Operands(c.words[1:])
		if len(l) == 0 && HasName("bundle bundler", c.name) && len(c.words) == 1 ||
			slices.ContainsFunc(l[:min(len(l), 2)], func(w Word) bool { return w.Known && all[w.Text] }) && !(len(l) > 0 && running[l[0].Text]) {
			c.p.connects()
		}
	}
}

// runsPackage handles programs that fetch a package and run it: a rule has to name the
// package.
func runsPackage(c *Call, u use) {
	at := u.next
	if at < len(c.words) && HasName("npm pnpm yarn npx pnpx bunx", c.name) {
		c.p.connects()
	}
	for _, a := range u.args {
		if a.option == "-c" || a.option == "--call" {
			c.excludeFromRules(WhyInterprets)
			c.analyzeCode(a.value, c.s)
		}
	}
	if at >= len(c.words) {
		c.requireWords(len(c.words) - 1)
		return
	}
	c.requireWords(at)
	if inner := c.lookalike(c.words[at:]); inner.Least > 1 {
		c.requireWords(at + inner.Least - 1)
	}
}
