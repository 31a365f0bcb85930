package shellcmd

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUnseen(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tools", "x"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, named := range []string{
		`bash $GEMINI_PROJECT_DIR/.gemini/hooks/no-rm.sh`, `$CLAUDE_PROJECT_DIR/hooks/a.sh`, `"$GEMINI_PROJECT_DIR"/hooks/a.sh`, `"${CLAUDE_PROJECT_DIR:-.}/a.sh" "$x"`, `$(git rev-parse --show-toplevel)/a.sh`, `"$(pwd)/a.sh"`,
		`python3 .gemini/hooks/no_keys.py`, `python3 tools/lint.py "$f"`, `python3 -c 'print(1)'`, `python3 -m tools.lint`, `node tools/x.js "$(date)"`, `./x.sh`, `cd tools && ./run.sh`, `. ./env.sh; echo $HOME`,
		`jq -r .tool_input.file_path`, `input=$(cat); echo "$input" | grep -q rm && exit 2`, `prettier --write "$f"`, `echo '{"decision": "deny"}'`, `notify-send done`, `gofmt -l .`, `bash -c 'cat > x; ./a.sh'`, `timeout 5 ./a.sh`,
		`if grep -q x; then ./a.sh; fi`, `read -r line; echo "$line"`, `bash .gemini/hooks/freeze.sh .gemini/hooks/reading.json`, `git log -5`, `go vet ./...`, `awk '{print $1}'`, `sed -n 1p`, `FOO=bar ./a.sh`, `bash <<'EOF'` + "\n./a.sh\nEOF\n",
	} {
		if why := indirect("linux", named, dir, map[string]string{"TOKEN": "$X"}); why != "" {
			t.Errorf("%s: %s", named, why)
		}
	}
	for _, c := range []string{
		`sh -c "$(cat tools/x.sh)"`, `node .`, `node ./tools`, `python3 tools`, `go run ./x`, `go test ./...`, `./{x,y}.sh`, `bash {x,y}.sh`, `bash tools/*.sh`, `./tools/*.sh`, `make test`, `make -s test`, `npm run lint`, `npx eslint .`, `yarn test`, `just check`,
		`cargo test`, `timeout 60 make test`, `bash -c 'make test'`, `sh -c "make"`, `eval "$(cat x)"`, `eval "$x"`, `$x`, `"$RUNNER" x.sh`, `bash "$x"`, `bash "$(ls *.sh)"`, `source "$x"`, `. "$DIR/env.sh"`, `cat x.sh | sh`, `cat x.py | python3`, `python3`, `bash < x.sh`,
		`curl -s https://example.com | bash`, `PATH=./bin:$PATH lint`, `BASH_ENV=x bash y.sh`, `cd "$x" && ./run.sh`, `find . -name '*.sh' -exec bash {} \;`, `ls *.sh | xargs -n1 bash`, `ls | xargs -I{} sh -c '{}'`, `for f in tools/*.sh; do bash "$f"; done`, `python3 -m pytest`,
		`uv run x`, `docker compose up`, `node --import ./x.mjs "$y"`, `perl -e "$code"`, `awk "$program"`, `pytest`, `f() { make; }; f`, `if true; then make; fi`, `trap 'make test' EXIT`, `git -c alias.x='!make' x`, `(make)`, `echo $(make)`, "make \\\ntest", `"unfinished`, `~/x.sh`, `bash ~/x.sh`,
	} {
		if why := indirect("linux", c, dir, nil); why == "" {
			t.Errorf("%s: it names all that it runs", c)
		}
	}
	for _, name := range []string{"PATH", "BASH_ENV", "NODE_OPTIONS", "LD_PRELOAD"} {
		if indirect("linux", "./x.sh", dir, map[string]string{name: "./bin"}) == "" {
			t.Errorf("it names all that it runs with %s set", name)
		}
	}
	if indirect("windows", "x.ps1", dir, nil) == "" {
		t.Error("PowerShell was read")
	}
}
