package program

import (
	"strings"
)

// packageRunning lists options of the commands that fetch a package and run it.
const packageRunning = "-y --yes --no-install --no -q --quiet -p=! --package=! -c=! --call=!"

// packageTable holds programs that install packages, and may run code from
// them.
var packageTable = map[string]*program{
	"npm pnpm yarn": {operands: texts, also: npm, options: "--shell> --git> --editor> --viewer> --browser> -s -d -v --silent --version --loglevel= --no-color --no-audit --no-fund --offline", same: map[string]string{
		"i": "install", "in": "install", "isntall": "install", "add": "install", "t": "test", "tst": "test", "run-script": "run", "rum": "run", "urn": "run", "x": "exec", "un": "uninstall", "remove": "uninstall", "rm": "uninstall", "r": "uninstall", "unlink": "uninstall", "up": "update", "upgrade": "update", "la": "ls", "ll": "ls", "list": "ls",
	}, commands: map[string]*program{
		"test":      {offers: true, operands: texts, options: "-s --silent --if-present"},
		"run":       {operands: texts, options: "-s --silent --if-present", also: verb(1)},
		"start":     {operands: texts},
		"stop":      {operands: texts},
		"build":     {operands: texts},
		"ci":        {network: true, offers: true, operands: texts, options: "--ignore-scripts --no-audit --no-fund --prefer-offline --offline"},
		"install":   {network: true, operands: texts, options: "-D -E -S -P -O --save --save-dev --save-exact --save-optional --save-peer --no-save --ignore-scripts --no-audit --no-fund --prefer-offline --offline --frozen-lockfile --legacy-peer-deps"},
		"uninstall": {network: true, operands: texts, options: "-D -S --save --save-dev --no-save"},
		"update":    {network: true, operands: texts, options: "--no-audit --no-fund"},
		"exec":      {network: true, operands: lines, options: packageRunning, also: runsPackage},
		"dlx":       {network: true, operands: lines, options: packageRunning, also: runsPackage},
		"create":    {network: true, operands: lines, options: packageRunning, also: runsPackage},
		"init":      {network: true, operands: lines, options: packageRunning, also: runsPackage},
		"publish":   {network: true, operands: texts, options: "--dry-run"},
		"view":      {network: true, operands: texts, options: "--json"},
		"outdated":  {network: true, operands: texts, options: "--json -l --long --all"},
		"audit":     {network: true, operands: texts, options: "--json --production --omit="},
		"ls":        {operands: texts, options: "-a -l --all --depth= --json --long --parseable --omit="},
		"why":       {operands: texts, options: "--json"},
		"version":   {operands: texts},
	}},
	"npx pnpx bunx": {network: true, operands: lines, options: packageRunning, also: runsPackage},
	"pip pip3 uv pipx poetry pdm pipenv conda mamba": {network: true, operands: texts, options: "-q -v -V --quiet --verbose --version --no-input --no-color --disable-pip-version-check", also: verb(1), commands: map[string]*program{
		"list":   {operands: texts, options: "-o --outdated --format= --not-required"},
		"show":   {operands: texts, options: "-f --files"},
		"freeze": {operands: texts, options: "-l --local --all"},
		"check":  {operands: texts},
		"run":    {operands: lines, options: packageRunning, also: runsPackage},
	}},
	"gem bundle bundler composer brew apt apt-get dnf yum pacman apk snap flatpak port cpan cpanm luarocks opam go-get": {network: true, operands: texts, also: verb(1)},
	"nix nix-env nix-shell": {network: true, operands: texts, options: "--run> --command>", also: func(c *Call, u use) {
		verb(1)(c, u)
		for i, w := range c.words {
			if w.Is("-c", "--command") && i+1 < len(c.words) {
				c.walker.Inner(c.words[i+1:], c.s, true)
			}
			if w.Is("-E", "--expr") {
				c.Evaluates(WhyInterprets)
			}
		}
	}},
	"dpkg rpm": {operands: texts, also: verb(1)},
}

// npm handles yarn without arguments, which installs.
func npm(c *Call, _ use) {
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w.Text, "--script-sh") || strings.HasPrefix(w.Text, "--node-o") {
			c.Evaluates(whyRunsNamed)
		}
	}
	if len(c.words) == 1 && c.name == "yarn" {
		c.p.connects(false)
	}
}

// runsPackage handles programs that fetch a package and run it: a rule has to
// name the package.
func runsPackage(c *Call, u use) {
	at := u.next
	for _, a := range u.args {
		if a.option == "-c" || a.option == "--call" {
			c.never(WhyInterprets)
			c.code(a.value, c.s)
		}
	}
	if at >= len(c.words) {
		c.must(len(c.words) - 1)
		return
	}
	c.must(at)
	if inner := c.lookalike(c.words[at:]); inner.Least > 1 {
		c.must(at + inner.Least - 1)
	}
}
