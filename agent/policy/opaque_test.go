package policy

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// evasions run rm or git push without naming it in the first words of a part.
var evasions = []string{
	// text that is evaluated again
	`hash -p /bin/rm ls; ls a`, `printf -v 'x[$(rm a)]' y`, `printf -v'x[$(rm a)]' y`, `test -v 'a[$(rm a)]'`, `[ -v 'a[$(rm a)]' ]`, `[[ -v a[\$(rm a)] ]]`, `[[ 'a[$(rm a)]' -eq 1 ]]`,
	`read 'x[$(rm a)]' <<< y`, `read -r -p hi 'x[$(rm a)]' <<< y`, `declare 'x[$(rm a)]=1'`, `declare -n r='x[$(rm a)]'; echo $r`, `export 'x[$(rm a)]=1'`, `unset 'x[$(rm a)]'`, `let 'x[$(rm a)]=1'`, `mapfile 'x[$(rm a)]' < main.go`,
	`x='a[$(rm a)]'; ((x))`, `x='a[$(rm a)]'; echo $((x))`, `x='a[$(rm a)]'; echo ${!x}`, `x='$(rm a)'; echo "${x@P}"`, `x='a[$(rm a)]'; echo ${y:x}`, `x='a[$(rm a)]'; let y=x`, `getopts a 'x[$(rm a)]'`, `wait -p 'x[$(rm a)]' -n`,
	`PS4='$(rm a)'; set -x; ls`, `. /dev/stdin <<< 'rm a'`, `source /dev/stdin <<< "$X"`, `. <(echo 'rm a')`, `bash <(echo 'rm a')`, `echo 'rm a' | bash /proc/self/fd/0`, `fc -s`, `compgen -W '$(rm a)'`, `complete -C 'rm a' x`, `bind -x '"a":rm a'`, `enable -f ./x.so x`,
	`mapfile -tC'rm a' -c1 x < main.go`, `mapfile -C 'rm a' -c 1 x < main.go`, `trap 'rm a' EXIT`, `coproc rm a`, `jobs -x rm a`, `eval 'r''m a'`, `python -c 'x'`, `python3 -Bc 'x'`, `python3 -uic 'x'`, `python - <<E` + "\nx\nE", `python /dev/stdin < main.go`, `python3 -m timeit x`,
	`perl -e x`, `perl -0ne x`, `perl -lane x main.go`, `ruby -e x`, `ruby -ne x`, `node -e x`, `node --eval=x`, `node -pe x`, `echo x | node`, `php -r x`, `lua -e x`, `deno eval x`, `awk 'BEGIN{system("rm a")}'`, `awk 'BEGIN{"rm a" | getline}'`, `awk 'BEGIN{print "a" | "rm a"}'`,
	`awk 'BEGIN{if (1) /"/; system("rm a"); x = /"/}'`, `gawk --source='BEGIN{system("rm a")}' x`, `gawk -e 'BEGIN{system("rm a")}'`, `awk '@load "x"; 1'`, `sed '1e rm a' main.go`, `sed 's/x/rm a/e' main.go`, `sed -n 's/x/y/pe' main.go`, `sed e main.go`,
	`vim -c '!rm a'`, `ex -s main.go <<< '!rm a'`, `ed main.go <<< '!rm a'`, `less '+!rm a' main.go`, `emacs --batch --eval '(x)'`, `sqlite3 x .shell`, `psql -c '\! rm a'`, `gdb -ex 'shell rm a'`, `gdb -batch -x f`, `m4 <<< 'syscmd(rm a)'`, `expect -c 'exec rm a'`, `dc <<< '!rm a'`,
	`make --eval='$(shell rm a)'`, `make SHELL=./x`, `make 'X=$(shell rm a)'`, `make -f - <<< 'x:; rm a'`, `make MAKEFLAGS=x`, `tclsh <<< 'exec rm a'`, `pwsh -c 'rm a'`, `nix-shell --run 'rm a'`, `man -P 'rm a' ls`,

	// variables that decide what runs
	`BASH_ENV=x bash -c :`, `BASH_ENV=x ls`, `env BASH_ENV=x ls`, `GIT_EXTERNAL_DIFF='rm a' git diff`, `GIT_PAGER='rm a' git log`, `export GIT_PAGER=rm; git log`, `EDITOR='rm a' git commit`, `LD_PRELOAD=./x.so ls`, `PATH=.:$PATH ls`, `PATH=x; ls`, `export PATH=x; ls`, `for PATH in x; do ls; done`,
	`read PATH <<< x; ls`, `printf -v PATH x; ls`, `BASH_ALIASES[ls]=rm; ls a`, `BASH_CMDS[ls]=/bin/rm; ls a`, `declare BASH_ENV=x`, `HOME=x git status`, `GIT_CONFIG_COUNT=1 git log`, `GIT_DIR=x git log`, `PERL5OPT=-Mx perl x.pl`, `CC=rm make`, `make CC=rm`, `sudo BASH_ENV=x ls`, `NODE_OPTIONS=--import=data:x node x.js`,
	`LESSOPEN='|rm a' ls`, `RSYNC_RSH=rm rsync a b:c`, `cross-env PATH=x ls`, `CARGO_TARGET_X_RUNNER=rm cargo test`, `GOFLAGS=-exec=rm go test`, `npm_config_script_shell=rm npm test`, `MAKEFLAGS=x make`, `TAR_OPTIONS=--to-command=rm tar xf a`,

	// settings, options and transports that name programs
	`git -c alias.x=push x`, `git -c alias.x='!rm a' x`, `git -c core.sshCommand='rm a' fetch`, `git -c core.editor='rm a' commit`, `git --config-env=alias.x=Y x`, `git --exec-path=x log`, `git x`, `git -C sub x`, `git fetch --upload-pack='rm a' .`, `git fetch --upload-pa='rm a' .`, `git clone -q 'ext::rm a' x`,
	`git grep -O'rm a' x`, `git grep --open-files-in-pager='rm a' x`, `git difftool -x 'rm a'`, `git filter-branch --tree-filter 'rm a'`, `git bisect run rm a`, `git rebase -x 'rm a' HEAD~1`, `git rebase --exec='rm a' HEAD~1`, `git submodule foreach 'rm a'`, `git for-each-repo --config=x push`, `git clone --template=x a b`, `git clone -c core.x=y a b`,
	`tar xf a --to-command='rm a'`, `tar xf a --to-com='rm a'`, `tar -I 'rm a' -xf b`, `tar xIf 'rm a' b`, `tar xf a --checkpoint-action=exec='rm a' --checkpoint=1`, `tar cf a b --rsh-command=rm`, `ssh -o ProxyCommand='rm a' h true`, `ssh -oProxyCommand='rm a' h true`, `ssh -F x h true`, `scp -S rm a h:b`, `scp -o ProxyCommand=rm a h:b`,
	`rsync -e 'rm a' x h:y`, `rsync -ae 'rm a' x h:y`, `rsync --rsh='rm a' x h:y`, `rsync --rsync-path='rm a' x h:y`, `split --filter='rm a' main.go`, `split --filt='rm a' main.go`, `sort --compress-program=rm main.go`, `sort --compress-prog=rm main.go`, `go test -exec rm ./...`, `go build -toolexec=rm .`, `go vet -vettool=rm .`, `go env -w CC=rm`,
	`cargo --config 'x=y' build`, `cmake -E rm a`, `npm test --script-shell=rm`, `zip -T -TT rm a b`, `wget --use-askpass=rm x`, `wget -e use_askpass=rm x`, `socat EXEC:rm -`, `ncat -e rm h 1`, `fd x --exec=rm`, `fd x -xrm`, `fd x -x rm`,

	// programs that launch what their words or their input name
	`choom -n 5 -- rm a`, `choom -n5 rm a`, `/lib64/ld-linux-x86-64.so.2 /bin/rm a`, `ld.so /bin/rm a`, `/lib/ld-musl-x86_64.so.1 /bin/rm a`, `find . -exec rm {} +`, `find . -name main.go -exec {} a \;`, `find . -exec sh -c '{}' \;`, `find . | xargs rm`, `echo rm | xargs env`, `echo rm | xargs -I% % a`, `echo 'rm a' | xargs -I{} sh -c '{}'`,
	`echo 'rm a' | xargs -0 sh -c`, `env -S 'rm a'`, `env -S'rm a'`, `env --split-string='rm a'`, `busybox rm a`, `script -c 'rm a' x`, `script -qc 'rm a' x`, `flock f rm a`, `flock f -c 'rm a'`, `setpriv --reuid=1 rm a`, `unshare -r rm a`, `chroot / rm a`, `nsenter -t 1 rm a`, `start-stop-daemon -S -x /bin/rm -- a`, `start-stop-daemon --start --exec /bin/rm -- a`,
	`parallel rm ::: a`, `parallel ::: 'rm a'`, `echo 'rm a' | parallel`, `watch rm a`, `ls | entr rm a`, `dbus-run-session -- rm a`, `strace rm a`, `strace -o '|rm a' ls`, `ltrace rm a`, `uclampset -m 5 rm a`, `gosu me rm a`, `tini -- rm a`, `ip netns exec x rm a`, `systemd-inhibit rm a`, `mytool --run 'rm a'`, `./launch rm a`, `java -XX:OnError='rm a' X`,
	`mytool git push`, `at now <<< 'rm a'`, `crontab x`, `xdg-open x.desktop`, `tmux new -d 'rm a'`, `screen -dm rm a`, `ssh h rm a`, `echo 'rm a' | ssh h`, `runcon x rm a`, `nix run x -c rm a`, `docker run x rm a`, `npx rm`,

	// more variables, and sub-commands that are not known
	`ZDOTDIR=x zsh -c :`, `AWS_PAGER='rm a' aws s3 ls`, `GH_PAGER='rm a' gh pr list`, `KUBE_EDITOR=rm kubectl edit x`, `GOCACHEPROG='rm a' go build .`, `GOAUTH='rm a' go get x`, `CONFIG_SHELL=rm ./configure`, `CMAKE_C_COMPILER_LAUNCHER=rm cmake .`, `CCACHE_PREFIX=rm make`, `export BAT_PAGER=rm; bat x`, `MAVEN_OPTS='-XX:OnError=rm' mvn test`, `ERL_FLAGS='-eval x' erl`,
	`RIPGREP_CONFIG_PATH=/dev/stdin rg x <<< '--pre=rm'`, `X=/dev/fd/0 mytool <<< 'rm a'`, `npm explore x -- rm a`, `npm config set script-shell rm`, `gh alias set x '!rm a'`, `mix eval 'x'`, `mix run -e 'System.cmd("rm",["a"])'`, `gem exec rm a`, `uv tool run rm a`, `dpkg --pre-invoke='rm a' -i x`, `ansible localhost -m command -a 'rm a'`, `conda run -n x rm a`, `brew sh -c rm`, `stack eval x`,

	// versions, shorter options, files that are given or just written, and what else launches
	`/usr/lib/git-core/git-push origin`, `git-push origin`, `git send-pack origin main`, `git subtree push x`, `git http-push x`, `coreutils --coreutils-prog=rm a`, `sbase-box rm a`,
	`echo push | xargs git`, `echo rm | xargs nice -n 5`, `xargs timeout 5 < f`, `parallel -a f`, `echo a | parallel -I% rm %`, `awk -f /dev/stdin <<< 'BEGIN{system("rm a")}'`, `awk -f - <<< 'BEGIN{system("rm a")}'`, `gawk --file=/dev/stdin x`, `gawk -E /dev/stdin`,
	`sed -f /dev/stdin main.go <<< '1e rm a'`, `sed -f - main.go`, `sed --file=- main.go`, `gnuplot <<< 'system "rm a"'`, `osh <<< 'rm a'`, `yash -c 'rm a'`, `echo 'rm a' | yash`, `nu -c x`, `xonsh -c y`, `rpm --eval '%(rm a)'`, `R -e 'system("rm a")'`, `R --vanilla <<< 'system("rm a")'`,
	`git config core.editor 'rm a' && git commit`, `git config alias.x '!rm a'`, `git config --global alias.x push`, `git config set alias.x push`, `git config --add alias.x push`, `git ls-remote --up='rm a' .`, `git ls-remote --u='rm a' .`, `git clone --u='rm a' . x`, `git clone --u 'rm a' . x`, `git fetch --upl='rm a' .`,
	`ssh -o LocalCommand='rm a' -o PermitLocalCommand=yes h true`, `ssh -o KnownHostsCommand='rm a' h true`, `ssh -oMatch='exec rm' h true`, `ssh -o 'ProxyCommand rm a' h true`, `ssh -o proxycommand=rm h`,
	`rg --pre rm x`, `rg --pre=rm x`, `rg --hostname-bin rm x`, `ag --pager rm x`, `install -s --strip-program=rm a b`, `install -s --strip-prog rm a b`, `cmake -DCMAKE_C_COMPILER_LAUNCHER=rm .`, `python3 -m asyncio <<< 'x'`, `perl '-Mvars;` + "`rm a`" + `' x.pl`, `node --import=data:text/javascript,x x.js`, `node --import data:text/javascript,x x.js`,
	`php -R 'system("rm a");'`, `php -B 'x' -R ''`, `guile -c '(system "rm a")'`, `deno run data:x`, `npx -c 'rm a'`, `npm exec -c 'rm a'`, `npm x --call='rm a'`, `go build -ldflags='-extld=rm -linkmode=external' .`, `cargo build --config 'build.rustc-wrapper="rm"'`, `rustc -C linker=rm x.rs`, `rustc -Clinker=rm x.rs`,
	`mvn exec:exec -Dexec.executable=rm`, `bazel test --run_under=rm //x`, `just --shell rm x`, `just --command rm a`, `rake -e 'system("x")'`, `gcc -wrapper rm x.c`, `qemu-x86_64 /bin/rm a`, `bash --rcfile /dev/stdin -ic : <<< 'rm a'`, `bash --init-file <(echo 'rm a') -i -c :`,
	`cp /bin/rm x; ./x a`, `ln -s /bin/rm x && ./x a`, `echo 'rm a' > x.sh; bash x.sh`, "cat > x.sh <<'E'\nrm a\nE\nbash x.sh", "cat > x.py <<'E'\nrm a\nE\npython3 ./x.py", `echo 'rm a' | tee x.sh; . ./x.sh`, `cp main.go x; ./x`, `echo 'x: ; rm a' > Makefile; make x`, `cpio --rsh-command=rm -i`, `bat --pager='rm a' x`, `diff3 --diff-program=rm a b c`, `vi -c '!rm a'`, `nvim -es x`, `tex --shell-escape '\write18{rm a}'`,
	// piped text, and programs that start a shell on their own
	`echo 'rm v' | setarch x86_64`, `echo 'rm v' | linux64`, `linux32 <<< 'rm v'`, `i386 <<< 'r""m v'`, `setarch -R <<< "$X"`, "linux64 <<'E'\nrm v\nE", `echo 'rm v' | fakeroot`, `cat f | fakeroot`, `echo 'shell rm v' | gdb -q`, `cat f | gdb`, `lldb < f`,
	`gcc -wrapper 'sh,-c,r${z}m v' -c a.c`, `g++ -wrapper "$X" a.c`, `clang -wrapper x a.c`, `cc --wrapper=x a.c`, `find . -name a.c -exec gcc -wrapper 'sh,-c,r${z}m v' -c {} \;`, `gcc-12 -wrapper x a.c`, `x86_64-linux-gnu-gcc-12 -wrapper x a.c`, `gcc -specs=x a.c`,
	`printf '.sy rm v\n' | groff -U`, `cat f | troff -U`, `pic -U f`, `groff -TasciiU f -U`, `groff -tU f`, `cat f | gnuplot`, `gnuplot - < f`, `cat f | lftp h`, `cat f | mailx -~ me`, `cat f | tcc -run -`, `cat f | swipl`, `cat f | groovysh`, `cat f | original-awk -f -`,
	`cat f | sudo -s`, `cat f | sudo -i`, `cat f | envdir d sh`, `cat f | setuidgid root sh`, `cat f | ifne sh`, `cat f | chpst -u root bash -e`, `cat f | logrotate /dev/stdin`, `logrotate /dev/stdin < f`, `echo 'rm v' | mytool`, `echo r""m v | mytool`, "cat <<'E' | mytool\nrm v\nE", `cat <<< 'rm v' | tee x | mytool`, `mytool <<< 'x; rm v'`, "mytool <<'E'\n!rm v\nE", `echo 'git push' | mytool -`,

	`find . -okdir rm {} ;`, `uv run rm a`, `poetry run rm a`, `conda run rm a`, `make -f <(echo 'x:; rm a')`, `make -f /dev/fd/3 3<<< 'x:; rm a'`, `make --file /dev/stdin`, `make -C . -f- <<< 'x:; rm a'`, `make -f- <<< x`, `make --makefile=/dev/stdin`, `just -f /dev/stdin`, `just --justfile=- x`, `task -t - x`,
	`docker run --entrypoint rm x a`, `python3 <(echo x)`, `ruby -r/dev/stdin -e1`, `lua /dev/stdin`, `perl - <<< x`, `perl < x`, `ruby -`, `node -`, `node -i`, `node -r /dev/stdin x.js`, `tclsh /dev/fd/0`, `R -f /dev/stdin`, `Rscript /dev/stdin`, `php -f /dev/stdin`, `erl -eval x`, `erl -run os cmd x`, `elixir -e x`, `julia -e x`, `julia -E x`, `sbcl --eval x`, `sbcl --load /dev/stdin`, `swift -e x`, `ghc -e x`, `racket -e x`, `scala -e x`, `groovy -e x`, `osascript -e x`, `clojure -e x`, `bb -e x`, `crystal eval x`, `kotlin -e x`, `jshell`, `nodejs -e x`, `ipython -c x`, `bpython`, `pypy -c x`, `python3.15 -c x`, `perl5.36 -e x`, `ruby3.1 -e x`, `lua5.4 -e x`, `php8.2 -r x`, `tclsh8.6 <<< x`, `node20 -e x`, `bash5 -c 'rm a'`, `ksh93 -c 'rm a'`, `zsh-5.9 -c 'rm a'`, `bash-static -c 'rm a'`, `rbash <<< 'rm a'`, `echo x | ksh93`,

	// assignments behind the name of a program, and other names of variables
	"set -k; git log GIT_PAGER=rm", "set -ek\ngit log GIT_PAGER=rm", "set -eo keyword; git log GIT_PAGER=rm", "set -e -o keyword; ls LD_PRELOAD=./x.so", "set -$X; git log GIT_PAGER=rm", "set -o $X; git log GIT_PAGER=rm", "builtin set -k; bash x.sh BASH_ENV=y", "bash -kc 'git log GIT_PAGER=rm'", "bash -o keyword -c 'git log GIT_PAGER=rm'",
	"builtin shopt -so keyword; git log GIT_PAGER=rm", "command shopt -s -o keyword; ls LD_PRELOAD=./x.so", "declare -n r=BASH_ENV; export r=x; bash x.sh", "declare -n r; r=GIT_PAGER; export r=rm; git log", "typeset -gn r=PATH; r=.; ls", "f() { local -n r=PATH; r=.; ls; }; f", "builtin declare -n r=PATH; r=.; ls", "declare $X r=PATH; r=.; ls",
}

// plain commands are decided as they read, even while a rule denies something.
var plainCommands = []string{
	"make test", "make -j4 CFLAGS=-O2 all", "CGO_ENABLED=0 go build ./...", "NODE_ENV=test npm test", "npm run build", "go test ./...", "go generate ./...", "./run.sh fast", "bash run.sh", "python3 run.py --fast", "python3 -m pytest -q", "node run.js", ". .venv/bin/activate && pytest", "source ./env.sh",
	"awk 'NR>1' main.go", `awk -F: '{print $1}' main.go`, `awk '{s+=$1} END{print s/NR}' main.go`, "sed -n 5p main.go", "sed -i 's/a/b/g' main.go", "sed -i '3a some text' main.go", "sed '/^$/d' main.go", "git status", "git commit -m 'rm the old file'", "git -c core.pager=cat log", "git -c user.name=x commit -m y",
	"git --no-pager diff", "git rebase --continue", "GIT_PAGER=cat git log", "GIT_EDITOR=true git rebase --continue", "PAGER=cat git diff", "CC=clang make", "PYTHONPATH=. pytest", "DEBUG=1 ./server", "cargo test", "docker build .", "tar xzf a.tgz", "tar -I zstd -xf a", "rsync -av -e ssh a h:b", "xargs grep x", "find . -name '*.go' -exec grep -l x {} +",
	"find . -exec sh -c 'wc -l \"$1\"' _ {} \\;", "for i in 1 2 3; do echo $((i+1)); done", "while IFS= read -r line; do echo \"$line\"; done < main.go", "if [[ -f main.go && $x -gt 3 ]]; then ls; fi", "export FOO=bar; ls", "read -r -p 'which? ' x", "test -f main.go", "printf '%s\\n' x", "printf -v x '%s' y", "x=$(git rev-parse HEAD); echo ${x:0:7}", "kubectl get pods", "mytool --fast x", "grep -rn 'rm ' .", "echo 'rm a'", "wait $!",
	"env FOO=bar make", "timeout 5 go test ./...", "nohup ./server", "ssh h uptime", "ssh -o StrictHostKeyChecking=no h uptime", "scp a h:b", "man ls", "jq .x main.go", "mapfile -t x < main.go", "unset X", "declare -a x=(1 2)", "trap 'echo done' EXIT", "sort main.go | uniq -c", "hash -r", "GIT_SSH_COMMAND='ssh -i k' git fetch", "x=1", "{ ls; } > out.txt", "(( i++ ))", "CARGO_TERM_COLOR=never cargo test", "GIT_AUTHOR_NAME=x git commit -m y",
	"set -euo pipefail; ls", "set -x; go test ./...", "set -- a -k b", "set +e; ls", "export -n FOO", "declare -i n=1", "readonly N=1", "MAVEN_OPTS=-Xmx1g mvn test", "AWS_PAGER= aws s3 ls", "PAGER=cat gh pr list", "GH_PAGER=cat gh pr list", "npm prune", "gh pr list", "brew list", "aws s3 ls", "mix test", "X=a.txt mytool",
	"tox -e py39", "nox -s lint", "just build", "rake test", "rg --no-such 'x' .", "cmake -DCMAKE_BUILD_TYPE=Release .", "cp a b", "cp main.go sub/x.go && go build ./...", "go build -o bin/x . && ./bin/x", "go build -ldflags='-s -w' .", "git config user.name x", "git config --get user.name", "git config get user.name", "git config --list", "git config core.autocrlf false", "perl -Ilib x.pl", "perl -MData::Dumper x.pl",
	"arch", "setarch x86_64 make", "fakeroot make", "ls | mytool", "git log | mytool", "cat f | mytool", "echo 'x y' | mytool --fast", "mytool <<< 'git pull'", "gcc -c -O2 a.c", "clang-15 -c a.c", "gnuplot plot.gp", "setuidgid root bash x.sh", "sudo -u me make", "tcc -run a.c", "sudo -v",
	"gcc-12 -O2 x.c -o x && ./x", "python3.13 run.py", "echo x > out.txt; bash run.sh", "echo x > notes.md && make test", "mkdir -p build && cd build && cmake .. && make", "npm install --foo && npm test", "sed -f x.sed main.go", "awk -f x.awk main.go", "make -f x.mk", "php x.php", "julia x.jl", "R -f x.R", "Rscript x.R", "cp /etc/hosts x", "touch x && ./run.sh", "tar -cf x.tar --exclude-vcs .", "git commit --cleanup=strip -m x",
}

// A rule may deny what evaluates text or launches another program by name, in
// mode yolo too: the user is asked, or it is denied if no user is available.
// Nothing changes where nothing is denied.
func TestDenialsAreNotEvaded(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	e := New(Lists{Exclude: []string{shellTool + "(rm)", shellTool + "(git push)"}}.Rules(), nil)
	for _, command := range evasions {
		call := shellCall(t, command, w, Yolo)
		if got := e.Decide(call); got.Kind == Allow {
			t.Errorf("%q is allowed in mode yolo while rm and git push are denied", command)
		}
		call.Asks = false
		if got := e.Decide(call); got.Kind != Deny {
			t.Errorf("%q is %v where nobody can be asked", command, got.Kind)
		}
	}
	for _, command := range plainCommands {
		call := shellCall(t, command, w, Yolo)
		if got := e.Decide(call); got.Kind != Allow && !got.Outside {
			t.Errorf("%q is %v in mode yolo: %s: %s", command, got.Kind, got.Rule, got.Reason)
		}
	}
}

// Opaque commands may match an expression that denies, as they may match words.
func TestDenialsByExpressionsAreNotEvaded(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	rules, _, mistake := parse("x", []byte("[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = \"rm .*\"\ndecision = \"deny\"\npriority = 100\n"), OfUser)
	if mistake != nil {
		t.Fatal(mistake)
	}
	e := New(rules, nil)
	for command, want := range map[string]Kind{"python -c x": Ask, "choom -n 5 rm a": Deny, "mytool rm a": Ask, "mytool a": Allow, "make": Allow} {
		if got := e.Decide(shellCall(t, command, w, Yolo)); got.Kind != want {
			t.Errorf("%q is %v, want %v: %s", command, got.Kind, want, got.Reason)
		}
	}
}
