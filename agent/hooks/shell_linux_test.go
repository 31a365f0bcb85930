package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
)

// asEachUser runs a test as the current user and, if that is root, also as an
// ordinary user, in a process of its own and not in short mode.
func asEachUser(t *testing.T, test func(*testing.T)) {
	t.Helper()
	if os.Getuid() != 0 || testing.Short() {
		test(t)
		return
	}
	t.Run("as root", test)
	t.Run("as an ordinary user", func(t *testing.T) {
		const nobody = 65534
		temp, err := os.MkdirTemp("/tmp", "emendo-hooks") //nolint:usetesting // every user needs access
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(temp) })
		if err := os.Chown(temp, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		top, _, _ := strings.Cut(t.Name(), "/")
		c := exec.Command("/proc/self/exe", "-test.run=^"+top+"$", "-test.v")
		c.Dir, c.Env = "/", append(os.Environ(), "HOME=/nonexistent", "TMPDIR="+temp)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody, Groups: []uint32{}}}
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+top) {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// place is a folder in which real hooks run.
type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "my $app's") // with special characters
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return place{t, dir}
}

func (p place) write(name, text string, mode os.FileMode) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) read(name string) string {
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return "!" + err.Error()
	}
	return string(b)
}

// fire runs one hook for the event of in.
func (p place) fire(ctx context.Context, h hooks.Hook, in hooks.Input) hooks.Outcome {
	h.Event = in.Event()
	e := hooks.Engine{Config: hooks.Config{Hooks: []hooks.Hook{h}}, Runner: hooks.Shell{Environ: append(os.Environ(), "GEMINI_API_KEY=secret", "GIT_DIR=/x", "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"))}}
	return e.Fire(ctx, hooks.Scene{SessionID: "s-1", Cwd: p.dir, Project: p.dir, Folders: []string{p.dir}, At: time.Now()}, in, nil)
}

func args(s string) json.RawMessage { return json.RawMessage(s) }

func TestRealHookInput(t *testing.T) { asEachUser(t, tryRealHookInput) }

func tryRealHookInput(t *testing.T) {
	p := newPlace(t)
	p.write("hooks/log.sh", "cat > \"$GEMINI_CWD/input.json\"\nenv > env.txt\npwd > cwd.txt\n", 0o700)
	o := p.fire(t.Context(), hooks.Hook{Command: `bash $GEMINI_PROJECT_DIR/hooks/log.sh`, Env: map[string]string{"MINE": "1"}}, hooks.PromptInput{Prompt: "say \"<hi>\"\n"})
	if o.Runs[0].Err != nil || o.Runs[0].Said != nil {
		t.Fatalf("it came to %+v", o.Runs[0])
	}
	input := map[string]any{}
	if err := json.Unmarshal([]byte(p.read("input.json")), &input); err != nil || input["prompt"] != "say \"<hi>\"\n" || input["hook_event_name"] != "BeforeAgent" {
		t.Errorf("input %q, %v", p.read("input.json"), err)
	}
	if got := p.read("cwd.txt"); got != p.dir+"\n" {
		t.Errorf("it ran in %s", got)
	}
	env := p.read("env.txt")
	for _, want := range []string{"MINE=1\n", "GEMINI_SESSION_ID=s-1\n", "CLAUDE_PROJECT_DIR=" + p.dir + "\n", "EMENDO_PROJECT_DIR=" + p.dir + "\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("the environment lacks %q", want)
		}
	}
	if strings.Contains(env, "secret") || strings.Contains(env, "GIT_DIR") || strings.Contains(env, p.dir+"/bin") {
		t.Error("the environment holds what no command gets")
	}
}

func TestRealHookOutput(t *testing.T) { asEachUser(t, tryRealHookOutput) }

func tryRealHookOutput(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		check         func(hooks.Outcome) bool
	}{
		{"a refusal in words", `echo "not that" >&2; exit 2`, func(o hooks.Outcome) bool { return o.Blocks() && o.Why() == "not that" }},
		{"a refusal in JSON", `echo '{"decision":"deny","reason":"no"}'`, func(o hooks.Outcome) bool { return o.Blocks() && o.Why() == "no" }},
		{"words", `cat >/dev/null; echo fine`, func(o hooks.Outcome) bool { return o.Message() == "fine" && !o.Blocks() }},
		{"nothing, reading nothing", `exec <&-; exit 0`, func(o hooks.Outcome) bool { return !o.Blocks() && o.Runs[0].Err == nil }},
		{"nothing, with status 3", `exit 3`, func(o hooks.Outcome) bool { return !o.Blocks() && o.Runs[0].Err != nil }},
		{"as much as a long conversation", `head -c 3000000 /dev/zero | tr '\0' x`, func(o hooks.Outcome) bool { return len(o.Message()) == 3000000 }},
		{"more than is heard", `head -c 40000000 /dev/zero | tr '\0' x`, func(o hooks.Outcome) bool { return o.Message() == "" && o.Runs[0].Err != nil }},
		{"a refusal that is longer than is heard", `head -c 40000000 /dev/zero | tr '\0' x; exit 2`, func(o hooks.Outcome) bool { return o.Blocks() }},
		{"a command that there is not", `no-such-hook`, func(o hooks.Outcome) bool { return o.Blocks() && strings.Contains(o.Why(), "not found") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			big := strings.Repeat("x", 1<<20) // more than a pipe holds
			if o := p.fire(t.Context(), hooks.Hook{Command: tt.command}, hooks.ToolInput{Tool: "write_file", Args: args(`{"content":"` + big + `"}`)}); !tt.check(o) {
				t.Errorf("it came to %+v", o.Output)
			}
		})
	}
}

// living reports whether a process exists and is not a zombie.
func living(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !errors.Is(err, os.ErrNotExist)
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(state, "Z")
}

// Processes of a hook end with it, and when it is cancelled.
func TestRealHookIsKilled(t *testing.T) { asEachUser(t, tryRealHookIsKilled) }

func tryRealHookIsKilled(t *testing.T) {
	const starts = `setsid sleep 1000 & echo $! > pid; `
	for _, tt := range []struct {
		name, command string
		timeout       time.Duration
		cancel        bool
		want          string // error
		tidy          bool
	}{
		{name: "when it has ended", command: starts + `exit 0`},
		{name: "when it takes too long", command: starts + `sleep 1000`, timeout: 300 * time.Millisecond, want: "timed out after 300ms"},
		{name: "when it takes too long, once it has put things in order", command: starts + `trap 'sleep 0.3; touch tidy; exit' TERM; sleep 1000 & wait`, timeout: 300 * time.Millisecond, want: "timed out after 300ms", tidy: true},
		{name: "when nobody waits for it", command: starts + `sleep 1000`, cancel: true, want: "context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.cancel {
				go func() { // ends once the hook runs
					for strings.HasPrefix(p.read("pid"), "!") || p.read("pid") == "" {
						select {
						case <-t.Context().Done():
							return
						default:
						}
					}
					cancel()
				}()
			}
			begun := time.Now()
			o := p.fire(ctx, hooks.Hook{Command: tt.command, Timeout: tt.timeout}, hooks.CompressInput{Trigger: "auto"})
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			got := ""
			if err := o.Runs[0].Err; err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("it came to %q, want %q", got, tt.want)
			}
			if tidy := p.read("tidy") == ""; tidy != tt.tidy {
				t.Errorf("it put things in order: %v", tidy)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(p.read("pid")))
			if err != nil {
				t.Fatal(err)
			}
			if living(pid) {
				t.Error("what it started is left running")
			}
		})
	}
}
