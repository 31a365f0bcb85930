package program

import (
	"slices"
	"strings"
)

// buildTable holds programs that build what the workspace says.
var buildTable = map[string]*program{
	"make gmake": {operands: texts, options: "--eval< -E< -# -B -i -j? -k -l? -n -q -r -R -s -S -t -w --always-make --jobs? --keep-going --no-keep-going --just-print --dry-run --question --silent --quiet --no-print-directory --print-directory --output-sync? -O? --version --help", also: makes},
	"ninja":      {operands: texts, options: "-v -n -j= -k= -l= --quiet"},
	"cmake": {options: "-G= -L -N -Wno-dev --version", also: func(c *Call, u use) {
		requireSubCommand(1)(c, u)
		if len(c.words) > 2 && c.words[1].Is("-E") {
			c.lookalike(c.words[2:])
			c.Evaluates(whyRunsNamed)
		}
	}},
	"cargo": {operands: texts, also: toolchain, options: "--config< -q -v -V --quiet --verbose --version --offline --locked --frozen --color=", same: map[string]string{"b": "build", "c": "check", "t": "test", "r": "run", "d": "doc", "rm": "remove"}, commands: map[string]*program{
		"build":    {offers: true, operands: texts, options: cargoBuilding},
		"check":    {offers: true, operands: texts, options: cargoBuilding},
		"test":     {offers: true, operands: texts, options: cargoBuilding + "--no-run --no-fail-fast --doc"},
		"bench":    {offers: true, operands: texts, options: cargoBuilding + "--no-run --no-fail-fast"},
		"clippy":   {offers: true, operands: texts, options: cargoBuilding + "--no-deps"},
		"run":      {offers: true, operands: texts, options: cargoBuilding},
		"doc":      {offers: true, operands: texts, options: cargoBuilding + "--no-deps --document-private-items"},
		"fmt":      {offers: true, operands: texts, options: "--check --all -p= --package= -q -v"},
		"tree":     {offers: true, operands: texts, options: "-e= -i= -p= -d --edges= --invert= --package= --depth= --duplicates --workspace --no-dedupe --all-features"},
		"metadata": {operands: texts, options: "--format-version= --no-deps"},
		"clean":    {operands: texts, options: "-p= --package= --release --doc"},
		"update":   {network: true, operands: texts, options: "-p= --package= --precise= --dry-run -w --workspace"},
		"fetch":    {network: true, operands: texts},
		"add":      {network: true, operands: texts, options: "--dev --build -F= --features= --no-default-features --optional --dry-run"},
		"install":  {network: true, operands: texts, options: "--locked --version="},
		"publish":  {network: true, operands: texts, options: "--dry-run"},
		"search":   {network: true, operands: texts, options: "--limit="},
		"nextest":  {operands: texts, also: requireSubCommand(1)},
	}},
	"rustc rustup":                {operands: texts, options: "-V --version", also: requireSubCommand(1)},
	"mvn mvnw gradle gradlew ant": {operands: texts, options: "-q -o -B -v --version --offline --quiet --no-daemon --console= --info --stacktrace --tests=", also: goals},
	"dotnet":                      {operands: texts, also: requireSubCommand(1)},
	"bazel bazelisk buck2":        {operands: texts, also: requireSubCommand(1)},
	"mix rebar3 stack cabal sbt":  {operands: texts, also: requireSubCommand(1)},
	"rspec":                       {operands: texts, options: "-f= --format= --fail-fast? -e= --example= -t= --tag= --color --no-color --force-color -b --backtrace --only-failures -n --next-failure --seed= --order= --profile? -p? --dry-run --version"},
	"ctest":                       {operands: texts, options: "-V -N -Q -R= -E= -L= -C= -j? -I= --verbose --extra-verbose --output-on-failure --progress --parallel? --tests-regex= --exclude-regex= --label-regex= --build-config= --timeout= --repeat= --rerun-failed --stop-on-failure --show-only? --quiet --version"},
	"zig": {operands: texts, commands: map[string]*program{
		"build":   {operands: texts, also: goals, options: "-D= -j? -l -h --help --verbose --summary= --list-steps --color= --release?"},
		"test":    {operands: texts, options: "-O= --test-filter= --color="},
		"fmt":     {operands: targets, options: "--check --color="},
		"version": {operands: texts}, "env": {operands: texts},
	}},
	"just task tox nox":          {operands: texts, options: "-l --list --summary --version", also: assignments},
	"rake":                       {operands: texts, options: "--execute< -E< -e< -p< -T --tasks --version", also: assignments},
	"pytest":                     {options: "-q -v -x -s -l -k= -m= --lf --ff --maxfail= --tb= --durations= --collect-only --no-header --verbose --quiet --exitfirst --last-failed --strict-markers --color= -r= --co"},
	"ruff":                       {commands: map[string]*program{"check": {offers: true, options: "-q -v -n --select= --ignore= --output-format= --statistics --diff --no-cache"}, "format": {offers: true, options: "--check --diff -q -v"}}},
	"mypy pyright flake8 pylint": {options: "--strict --ignore-missing-imports --no-color-output --pretty --show-error-codes --max-line-length= --disable= --enable= -v -q"},
	"black isort":                {operands: targets, options: "--check --diff -q -v --quiet -l= --line-length= --color"},
	"jest vitest mocha":          {operands: texts, options: "--watch=false --silent --verbose --bail? --run -t= -i --runInBand --ci --no-coverage --color --no-color", also: assignments},
	"gcc g++ cc c++ clang clang++ gfortran tcc ld as javac": {options: "-c -g -O -O0 -O1 -O2 -O3 -Wall -Wextra -Werror -v --version", also: compiler},
}

const cargoBuilding = "--config< -q -v -r -j= -p= -F= --quiet --verbose --release --jobs= --package= --features= --all-features --no-default-features --workspace --all --exclude= --lib --bins --bin= --examples --example= --tests --test= --benches --bench= --all-targets --keep-going --message-format= --offline --locked --frozen --profile= --color= "

// assignments handles operands that set variables, which could name programs.
func assignments(c *Call, u use) {
	c.requireOperands(u, func(w Word) bool { return !w.Known || strings.Contains(w.Text, "=") })
}

// goals handles operands that are a list of goals or tasks.
func goals(c *Call, u use) {
	assignments(c, u)
	c.series(u, 0)
}

// makes handles the variables of make, which can name its shell or hold
// commands.
func makes(c *Call, u use) {
	assignments(c, u)
	for i, a := range u.args {
		name, value, set := strings.Cut(a.value.Text, "=")
		switch {
		case a.option == "-f" && i+1 < len(u.args) && u.args[i+1].value.isDevice(), a.option == "-f" && i+1 < len(u.args) && u.args[i+1].value.Is("-"),
			strings.HasPrefix(a.option, "--file") && strings.HasSuffix(c.words[a.at].Text, "=-"):
			c.Evaluates(WhyRunsInput)
		case a.option != "" || !set:
		case strings.Contains(value, "$") || strings.Contains(value, "`") || strings.ContainsAny(name, "!"):
			c.Evaluates("make evaluates what its variables hold")
		default:
			c.line.Assign(c.p, strings.TrimRight(strings.TrimSpace(name), ":?+"), Word{Text: value, Source: a.value.Source, Known: a.value.Known}, c.s)
			if n := strings.TrimRight(strings.TrimSpace(name), ":?+ "); n == ".SHELLFLAGS" || n == "SHELL" && !isAssignedShell(n, Word{Text: value, Known: a.value.Known}) {
				c.Evaluates("it sets " + n + ", which decides what runs")
			}
		}
	}
}

// compiler handles the first file, which must be named, and files that hold
// more options.
func compiler(c *Call, u use) {
	requireSubCommand(1)(c, u)
	c.requireOperands(u, func(w Word) bool { return strings.HasPrefix(w.Text, "@") })
	input := slices.ContainsFunc(c.words, func(w Word) bool { return w.Is("-") || w.isDevice() })
	for _, w := range c.words[1:] {
		switch name := "-" + strings.TrimLeft(w.Text, "-"); {
		case strings.HasPrefix(name, "-wrapper"), strings.HasPrefix(name, "-specs"), strings.HasPrefix(name, "-fplugin="), strings.HasPrefix(name, "-ld-path"):
			c.Evaluates(whyRunsNamed)
		case strings.HasPrefix(name, "-run") && c.name == "tcc" && input:
			c.Evaluates(WhyRunsInput)
		}
	}
}

// toolchain handles the word with a plus sign that selects another compiler.
func toolchain(c *Call, _ use) {
	if len(c.words) > 2 && strings.HasPrefix(c.words[1].Text, "+") {
		c.requireWords(2)
		c.p.Aliases = append(c.p.Aliases, append([]string{c.name}, Leading(c.words[2:])...))
	}
}
