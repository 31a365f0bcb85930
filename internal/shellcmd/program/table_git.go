package program

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/secret"
)

// gitShowing lists options of the commands that show history and differences,
// without those that run programs or write files (--ext-diff, --textconv,
// --output, --show-signature) or read elsewhere (--no-index).
const gitShowing = `-# -p -u -s -U? -n= -i -E -F -P -G= -S= -L= -M? -C? -B? -D -R -a -b -w -z -W -t -m -c -g -l=
	--patch --no-patch --unified? --raw --minimal --patience --histogram --anchored= --diff-algorithm= --stat? --compact-summary --numstat --shortstat --dirstat? --cumulative --summary
	--name-only --name-status --color? --no-color --color-words? --word-diff? --word-diff-regex= --color-moved? --no-renames --check --full-index --abbrev? --no-abbrev --binary --break-rewrites? --find-renames? --find-copies? --find-copies-harder
	--irreversible-delete --diff-filter= --pickaxe-all --pickaxe-regex --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines
	--inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv --submodule? --src-prefix= --dst-prefix= --no-prefix --line-prefix= --cached --staged --merge-base --ita-invisible-in-index
	--follow --no-decorate --decorate? --decorate-refs= --source --log-size --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case
	--merges --no-merges --min-parents? --max-parents? --first-parent --all --branches? --tags? --remotes? --glob= --exclude= --reflog --boundary --cherry-pick --cherry-mark --cherry --left-only --right-only --left-right
	--graph --oneline --pretty? --format? --abbrev-commit --no-abbrev-commit --date= --relative-date --parents --children --topo-order --date-order --author-date-order --reverse --no-walk? --walk-reflogs --simplify-by-decoration
	--full-history --dense --sparse --simplify-merges --ancestry-path --notes? --no-notes --combined-all-paths --cc --diff-merges= --no-diff-merges --expand-tabs? --no-expand-tabs --end-of-options`

// gitTable holds git. Its bare name covers only reading; its configuration,
// options and transports could run anything.
var gitTable = map[string]*program{
	"git": {
		options: "--no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch --version -v --help! -h! -C=! -c=! --config-env=! --exec-path?! --git-dir=! --work-tree=! --namespace=! --super-prefix=! --attr-source=! -p! --paginate! --bare!",
		also:    gitEverywhere,
		commands: map[string]*program{
			"status": {safe: true, options: "-s -b -v -u? -z --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?", also: gitPaths},
			"log":    {safe: true, options: gitShowing, also: gitPaths},
			"diff":   {safe: true, options: gitShowing, also: gitPaths},
			"show":   {safe: true, options: gitShowing, also: gitPaths},
			"branch": {safe: true, operands: texts, options: "-a -r -v -l -i -q! --all --remotes --verbose --list --show-current --contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --abbrev? --no-abbrev --color? --no-color --column? --no-column --ignore-case -t?! --track?! --no-track!", also: gitBranch},

			"add":            {offers: true, operands: targets, options: "-A -n -u -v -p -i -N --all --dry-run --update --verbose --patch --intent-to-add --refresh --ignore-errors --renormalize"},
			"commit":         {offers: true, operands: files, options: "-m= -a -q -s -v -p -i -o -u? --message= --all --quiet --signoff --verbose --amend --no-edit --allow-empty --allow-empty-message --dry-run --short --status --no-status --fixup= --squash= --date= --author= --trailer="},
			"push":           {network: true, operands: texts, also: gitPushes, options: "-u -q -v -n -4 -6 --set-upstream --quiet --verbose --dry-run --tags --follow-tags --atomic --progress --no-progress --porcelain"},
			"fetch":          {network: true, offers: true, operands: texts, also: gitRemote, options: "-a -q -v -p -t -n -j= -4 -6 --all --append --depth= --deepen= --dry-run --jobs= --prune --quiet --verbose --tags --no-tags --unshallow --progress --no-recurse-submodules --porcelain"},
			"pull":           {network: true, offers: true, operands: texts, also: gitRemote, options: "-q -v -r? --quiet --verbose --rebase? --no-rebase --ff --no-ff --ff-only --all --prune --tags --depth= --autostash --no-autostash --progress --stat --no-stat"},
			"clone":          {network: true, operands: texts, also: gitClones, options: "-q -v -n -b= --quiet --verbose --progress --no-checkout --depth= --branch= --single-branch --no-tags --filter= --sparse --no-single-branch"},
			"ls-remote":      {network: true, operands: texts, options: "-h -t -q --heads --tags --refs --quiet --exit-code --symref --sort="},
			"remote":         {safe: true, operands: texts, also: gitAddresses, commands: map[string]*program{"show": {network: true, operands: texts}, "get-url": {safe: true, operands: texts, options: "--all --push", also: gitAddresses}, "update": {network: true, operands: texts}, "prune": {network: true, operands: texts}}, options: "-v --verbose"},
			"submodule":      {commands: map[string]*program{"status": {operands: texts, options: "--cached --recursive"}, "summary": {operands: texts}, "update": {network: true, operands: texts, options: "--init --recursive"}, "foreach": {operands: lines, options: "--recursive -q", also: gitRuns}}, options: "-q --quiet"},
			"checkout":       {operands: texts, options: "-b= -q -t --quiet --track --detach --progress --guess"},
			"switch":         {offers: true, operands: texts, options: "-c= -q -d -t --create= --quiet --detach --track --guess"},
			"restore":        {operands: targets, options: "-S -W -q -s= -p --staged --worktree --source= --quiet --patch"},
			"stash":          {operands: texts, commands: map[string]*program{"list": {safe: true, operands: texts, options: gitShowing, also: gitFormats}, "show": {safe: true, operands: texts, options: gitShowing + " --include-untracked --only-untracked", also: gitFormats}, "push": {operands: targets, options: "-m= -u -k -q -p -S --message= --include-untracked --keep-index --quiet --staged"}, "pop": {operands: texts, options: "--index -q --quiet"}, "apply": {operands: texts, options: "--index -q --quiet"}}},
			"merge":          {operands: texts, options: "-m= -q -v -n --ff --no-ff --ff-only --squash --no-squash --no-commit --commit --no-edit --abort --continue --quit --stat --no-stat --quiet --verbose"},
			"rebase":         {operands: texts, options: "-q -v --onto= --abort --continue --skip --quit --autostash --no-autostash --autosquash --no-autosquash --quiet --verbose --stat --no-stat -x=! --exec=!", also: gitRebase},
			"cherry-pick":    {operands: texts, options: "-n -x -s --no-commit --signoff --abort --continue --skip --quit --ff"},
			"revert":         {operands: texts, options: "-n -s --no-edit --no-commit --signoff --abort --continue --skip --quit"},
			"reset":          {operands: texts, options: "-q -N --soft --mixed --quiet --intent-to-add"},
			"tag":            {safe: true, operands: texts, options: "-l -n? -i --list --sort= --contains? --no-contains? --merged? --no-merged? --points-at= --format= --column? --color? --ignore-case", also: gitBranch},
			"rm":             {operands: targets, options: "-n -q -r --cached --dry-run --quiet --ignore-unmatch"},
			"mv":             {operands: targets, options: "-k -n -v --dry-run --verbose"},
			"bisect":         {operands: texts, also: gitBisect},
			"blame annotate": {safe: true, operands: files, also: gitPaths, options: "-L= -l -t -s -e -p -w -M? -C? -c -n -f --show-email --porcelain --line-porcelain --date= --since= --root --reverse --abbrev= --color-lines --color-by-age"},
			"grep":           {operands: texts, also: gitSearches, options: "-# -i -I -v -w -a -E -F -G -P -e= -l -L -c -n -h -H -o -q -r -W -p -z -A= -B= -C= --cached --untracked --no-color --color? --count --name-only --files-with-matches --files-without-match --line-number --column --heading --break --and --or --not --max-depth= --max-count= --ignore-case --invert-match --word-regexp --extended-regexp --fixed-strings --perl-regexp --only-matching --show-function --function-context --context= --after-context= --before-context="},
			"ls-files":       {safe: true, operands: texts, options: "-c -d -i -k -m -o -s -t -u -v -z --cached --deleted --ignored --killed --modified --others --stage --unmerged --exclude-standard --full-name --directory --no-empty-directory --error-unmatch --eol --deduplicate --abbrev? --exclude= -x= --recurse-submodules"},
			"rev-parse":      {safe: true, operands: texts, options: "-q --short? --abbrev-ref? --verify --quiet --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --revs-only --flags --no-flags --show-superproject-working-tree"},
			"describe":       {safe: true, operands: texts, options: "--all --tags --contains --long --always --dirty? --broken? --exact-match --abbrev= --candidates= --match= --exclude= --first-parent"},
			"shortlog":       {safe: true, operands: texts, also: gitFormats, options: "-n -s -e -c -w? --numbered --summary --email --group= --format= --since= --until= --all --no-merges --author="},
			"ls-tree":        {safe: true, operands: texts, options: "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format="},
			"cat-file":       {safe: true, options: "-t -s -e -p", also: gitPaths},
			"merge-base":     {safe: true, operands: texts, options: "-a --all --octopus --independent --is-ancestor --fork-point"},
			"rev-list":       {safe: true, options: gitShowing + " --count --objects --disk-usage?", also: gitPaths},
			"reflog":         {safe: true, options: gitShowing, also: gitFormats, commands: map[string]*program{"show": {safe: true, options: gitShowing, also: gitPaths}}},
			"for-each-ref":   {safe: true, operands: texts, also: gitFormats, options: "--count= --sort= --format= --points-at= --merged? --no-merged? --contains? --no-contains? --color?"},
			"check-ignore":   {safe: true, operands: texts, options: "-q -v -n -z --quiet --verbose --non-matching --no-index"},
			"config":         {operands: texts, options: "-l --list --get= --get-all= --get-regexp= --show-origin --show-scope --name-only -z", also: gitConfig},
			"worktree":       {commands: map[string]*program{"list": {safe: true, operands: texts, options: "-v --porcelain -z"}}},
			"apply":          {operands: files, options: "-p= -R -v --stat --numstat --summary --check --index --cached --3way -3 --reverse --recount --whitespace= --verbose"},
			"init":           {operands: targets, options: "-q -b= --quiet --initial-branch= --bare"},
			"show-ref":       {safe: true, operands: texts, options: "-q -d -s --tags --heads --branches --head --verify --quiet --dereference --hash? --abbrev?"},
			"name-rev":       {safe: true, operands: texts, options: "--tags --refs= --exclude= --all --name-only --no-undefined --always"},
			"diff-tree":      {safe: true, options: gitShowing + " --root --no-commit-id -r", also: gitPaths},
			"check-attr":     {safe: true, operands: texts, options: "-a -z --all --cached"},
			"count-objects":  {safe: true, operands: texts, options: "-v -H --verbose --human-readable"},
			"cherry":         {safe: true, operands: texts, options: "-v --abbrev?"},
			"version":        {safe: true, operands: texts, options: "--build-options"},
			"help":           {operands: texts},
			"filter-branch filter-repo fast-import credential difftool mergetool send-email instaweb daemon shell svn p4 cvsimport cvsserver gui citool for-each-repo hook maintenance interpret-trailers web--browse": {
				never: "it runs programs that its options and settings name", opaque: whyRunsNamed,
			},
			"archive var cherry check-mailmap check-ref-format clean column commit-tree diff-files diff-index fetch-pack format-patch fsck gc get-tar-commit-id hash-object index-pack ls-remotes mailinfo mailsplit merge-file merge-index merge-tree mktag mktree multi-pack-index notes pack-objects pack-refs patch-id prune prune-packed range-diff read-tree replace repack rerere rev-list send-pack show-branch show-index sparse-checkout stripspace symbolic-ref unpack-objects update-index update-ref update-server-info verify-commit verify-pack verify-tag whatchanged write-tree am bundle request-pull backfill": {operands: texts},
		},
	},
	"gh glab hub": {network: true, operands: texts, also: requireSubCommand(2)},
}

// gitEverywhere handles what could make any command of git run a program.
func gitEverywhere(c *Call, u use) {
	if u.next < len(c.words) {
		if c.foreign() {
			c.requireWords(u.next)
		}
		name := c.words[u.next]
		if name.Is("send-pack", "http-push") {
			c.p.Aliases = append(c.p.Aliases, append([]string{c.name, "push"}, Leading(c.words[u.next+1:])...))
		}
		if name.Known && c.line.programs["git"].command(name.Text) == nil {
			c.Evaluates("git " + name.Text + " may be another name of something else")
		}
	}
	for _, a := range u.args {
		switch a.option {
		case "-c", "--config-env", "--exec-path":
			c.excludeFromRules("git's configuration could name programs to run")
			if a.option != "-c" || !harmlessSetting(a.value) {
				c.Evaluates("git's configuration could name programs to run")
			}
			if _, value, ok := strings.Cut(a.value.Text, "="); ok && RunsConfig(a.value.Text) { // -c alias.x='!command'
				c.analyzeCode(Word{Text: strings.TrimPrefix(value, "!"), Source: a.value.Source, Known: a.value.Known}, c.s)
			}
		case "-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source", "-p", "--paginate", "--bare":
			c.requireWords(a.at)
		}
	}
	for i, w := range c.words {
		if transport, _, ok := strings.Cut(w.Text, "::"); ok && transport != "" && !strings.ContainsAny(transport, " /:.\"'") {
			c.excludeFromRules("git's transport could name a program to run")
			c.Evaluates("git's transport could name a program to run")
		}
		if strings.HasPrefix(w.Text, "--") && len(w.Text) > 3 && i > 0 {
			name, _, _ := strings.Cut(w.Text, "=")
			for _, option := range gitLaunching {
				if strings.HasPrefix(option, name) { // options may be abbreviated
					c.Evaluates(whyRunsNamed)
				}
			}
		}
		if strings.HasPrefix(w.Text, "--upload-pack") || strings.HasPrefix(w.Text, "--receive-pack") || strings.HasPrefix(w.Text, "--ext-diff") {
			c.requireWords(i)
		}
	}
}

// gitLaunching lists options of git's commands that name programs, or settings
// and hooks that could.
var gitLaunching = strings.Fields("--upload-pack --receive-pack --exec --open-files-in-pager --extcmd --template --config --tool")

// harmlessSettings lists beginnings of the names of settings that name no
// program.
var harmlessSettings = strings.Fields("user.name user.email color. advice. log.date log.decorate core.quotepath core.autocrlf core.safecrlf core.abbrev core.ignorecase core.filemode core.longpaths init.defaultbranch diff.renames diff.algorithm diff.context diff.noprefix diff.mnemonicprefix merge.conflictstyle merge.ff pull.rebase pull.ff push.default push.autosetupremote fetch.prune rebase.autostash rebase.autosquash safe.directory protocol.version column. status. gc.auto commit.gpgsign tag.gpgsign grep. blame. versionsort. http.sslverify http.lowspeed http.postbuffer")

// harmlessSetting reports whether a setting, NAME=VALUE, names no program, or
// only a known harmless one.
func harmlessSetting(w Word) bool {
	name, value, _ := strings.Cut(strings.ToLower(w.Text), "=")
	if !w.Known {
		return false
	}
	if slices.ContainsFunc(harmlessSettings, func(s string) bool { return strings.HasPrefix(name, s) }) {
		return true
	}
	return (name == "core.pager" || name == "core.editor" || name == "sequence.editor" || strings.HasPrefix(name, "pager.") || name == "core.fsmonitor" || name == "core.hookspath") &&
		slices.Contains([]string{"", "cat", "true", ":", "false", "/dev/null"}, value)
}

// foreign reports whether git would apply the settings of a repository inside a
// directory of the workspace: they can name programs. A directory can be a
// repository without .git in it, and edits could turn one into a repository
// after the user was shown what would start.
func (c *Call) foreign() bool {
	for _, dir := range c.s.In {
		for root := false; !root && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			root = slices.Contains(c.line.roots, dir)
			switch own := exists(dir, ".git"); {
			case own && !root, !own && exists(dir, "HEAD") && (exists(dir, "objects", "refs") || exists(dir, "commondir")):
				return true
			}
		}
	}
	return len(c.s.In) == 0
}

// exists reports whether all the names are in a directory.
func exists(dir string, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !paths.Exists(filepath.Join(dir, name)) })
}

// gitRemote requires a rule to name a remote that is an address, and branches
// that are forced or deleted.
func gitRemote(c *Call, u use) {
	for n, a := range u.operands() {
		if n == 0 && strings.ContainsAny(a.value.Text, "/:.") || n > 0 && strings.ContainsAny(a.value.Text[:min(1, len(a.value.Text))], "+:") {
			c.requireWords(a.at)
		}
	}
}

// gitPushes handles git push: a rule that names a branch covers no other.
func gitPushes(c *Call, u use) {
	gitRemote(c, u)
	c.series(u, 1)
}

// gitPaths handles operands and line ranges that name files, some of them in a
// revision or by a pattern.
func gitPaths(c *Call, u use) {
	gitFormats(c, u)
	for _, a := range u.args {
		at := strings.Index(a.value.Text, ":")
		switch a.option {
		case "-L": // lines or a function, and the file
			at = strings.LastIndex(a.value.Text, ":")
		case "":
			if pathspecFindsSecrets(a.value) {
				c.requireWords(a.at)
			}
		default:
			continue
		}
		for at >= 0 { // a revision can contain colons, as in HEAD@{10:00}:file
			path := a.value.Text[at+1:]
			c.file(a.at, Word{Text: path, Source: path, Known: a.value.Known}, false)
			next := strings.Index(path, ":")
			if at += 1 + next; next < 0 {
				break
			}
		}
	}
}

// pathspecFindsSecrets reports whether an operand is a git pattern that may
// match a secret: git matches it against committed files, whatever is on the
// disk.
func pathspecFindsSecrets(w Word) bool {
	spec := w.Text
	if !w.Known {
		spec = w.Source // bash keeps a pattern that matches nothing
	}
	if magic, ok := strings.CutPrefix(spec, ":"); ok {
		if long, path, ok := strings.Cut(magic, ")"); ok && strings.HasPrefix(long, "(") {
			if strings.Contains(long, "exclude") {
				return false
			}
			if strings.Contains(long, "attr") || strings.Contains(long, "icase") { // matches more than its text shows
				return true
			}
			spec = path
		} else {
			if strings.HasPrefix(magic, "!") || strings.HasPrefix(magic, "^") {
				return false
			}
			spec = strings.TrimLeft(magic, "/:")
		}
		if secret.Named(spec) {
			return true
		}
	}
	if _, path, ok := strings.Cut(spec, ":"); ok { // of a revision: not a pattern
		return secret.Named(path)
	}
	return strings.ContainsAny(spec, `*?[\`) && bringsBack(spec)
}

// gitFormats handles formats that verify a signature, with a program that the
// configuration names, and formats that print the remote of a branch, which can
// be an address with a password.
func gitFormats(c *Call, u use) {
	for _, a := range u.args {
		if a.option != "" && slices.ContainsFunc([]string{"%G", "signature", "remotename", "remoteref"}, func(s string) bool { return strings.Contains(a.value.Text, s) }) {
			c.requireWords(a.at)
		}
	}
}

// gitBranch handles git branch: it creates a branch if it has a name and no
// pattern is asked for.
func gitBranch(c *Call, u use) {
	gitFormats(c, u)
	named, listing := -1, false
	for _, a := range u.args {
		switch a.option {
		case "":
			named = a.at
		case "-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at":
			listing = true
		}
	}
	if named >= 0 && !listing {
		c.unread = true
	}
}

// gitRuns handles git submodule foreach, which runs its words.
func gitRuns(c *Call, _ use) {
	i := slices.IndexFunc(c.words, func(w Word) bool { return w.Is("foreach") })
	if i < 0 {
		return
	}
	l := c.words[i+1:]
	for len(l) > 0 && strings.HasPrefix(l[0].Text, "-") {
		l = l[1:]
	}
	if c.requireWords(len(c.words) - len(l)); len(l) > 0 {
		c.analyzeText(l, c.s, false)
	}
}

// gitRebase handles --exec, which runs a command after each commit.
func gitRebase(c *Call, u use) {
	for _, a := range u.args {
		if a.option == "-x" || a.option == "--exec" {
			c.requireWords(a.at)
			c.analyzeCode(a.value, c.s)
		}
	}
}

// gitBisect handles git bisect run.
func gitBisect(c *Call, u use) {
	if len(u.args) == 0 {
		return
	}
	c.requireWords(u.args[0].at)
	if u.args[0].value.Is("run") {
		c.requireWords(u.args[0].at + 1)
		c.line.walker.Inner(c.words[u.args[0].at+1:], c.s, false)
	}
}

// gitSearches handles git grep, which searches tracked files.
func gitSearches(c *Call, u use) {
	c.looksThrough(nil)
	c.p.Secrets = slices.DeleteFunc(c.p.Secrets, func(path string) bool { return strings.HasSuffix(filepath.Dir(path), ".git") }) // git needs its settings, and does not print them
	for _, a := range u.args {
		if a.option == "-O" {
			c.Evaluates(whyRunsNamed)
		}
	}
}

// gitClones handles git clone, whose options can configure what runs.
func gitClones(c *Call, u use) {
	for _, a := range u.args {
		if a.option == "-c" || a.option == "-u" {
			c.Evaluates(whyRunsNamed)
		}
	}
}

// gitAddresses handles commands that print the addresses of remotes, with
// passwords and tokens in them.
func gitAddresses(c *Call, u use) {
	if len(c.s.In) == 0 || slices.ContainsFunc(slices.Concat(c.line.roots, c.s.In), settingsTell) {
		c.requireWords(max(u.next-1, 1))
	}
}

// settingsTell reports whether the settings of the repository around a
// directory contain a password or a token.
func settingsTell(dir string) bool {
	files := []string{filepath.Join(dir, ".git", "config")}
	if r, ok := gitdir.Around(dir, ""); ok {
		files = append(files, filepath.Join(r.Common, "config"), filepath.Join(r.Git, "config.worktree"))
	}
	return slices.ContainsFunc(files, secret.InFile)
}

// gitConfig requires a rule to name the whole setting: settings can name
// programs.
func gitConfig(c *Call, u use) {
	gitAddresses(c, use{next: len(c.words)})
	c.requireOperands(u, func(Word) bool { return true })
	operands := u.values()
	if len(operands) > 1 {
		c.requireWords(len(c.words) - 1)
	}
	if len(operands) > 0 && operands[0].Is("set", "get", "unset", "list") {
		if operands[0].Text != "set" {
			return
		}
		operands = operands[1:]
	}
	if len(operands) > 1 && !harmlessSetting(Word{Text: operands[0].Text + "=" + operands[1].Text, Known: operands[0].Known && operands[1].Known}) {
		c.p.Installs = "it sets what git may run"
		c.Evaluates(c.p.Installs)
	}
}

// running lists sub-commands that run what the next word names.
var running = NameSet("exec run x shell develop dlx tool")

// requireSubCommand handles programs with sub-commands of n words: a rule has to name the
// sub-command and, if that runs something, the next word too.
func requireSubCommand(n int) func(*Call, use) {
	return func(c *Call, u use) {
		want := n
		c.p.Foreign = true
		for i, a := range u.operands() {
			if i < want {
				c.requireWords(a.at)
			}
			if i == 0 && a.value.Is("eval") {
				c.Evaluates(WhyInterprets)
			}
			if i+1 == want && running[a.value.Text] {
				want++
				c.p.Aliases = append(c.p.Aliases, Leading(c.words[a.at+1:]))
			}
		}
	}
}

// gitPrograms lists parts of the names of settings whose values are run.
var gitPrograms = strings.Fields("alias. pager editor fsmonitor hookspath command external textconv helper program askpass proxy filter. driver cmd")

// RunsConfig reports whether a setting, NAME=VALUE, names a program.
func RunsConfig(setting string) bool {
	name, _, _ := strings.Cut(strings.ToLower(setting), "=")
	return slices.ContainsFunc(gitPrograms, func(p string) bool { return strings.Contains(name, p) })
}
