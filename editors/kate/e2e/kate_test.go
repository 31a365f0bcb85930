//go:build kate && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// patience is how long a test waits for something that must happen.
const patience = 40 * time.Second

// user is a user of Kate.
type user struct {
	t   *testing.T
	w   *plaintest.World
	env []string // with the X server

	file string // that Kate was started on
}

// start starts Kate on a file of a project.
func start(t *testing.T, file string, files map[string]string, replies ...geminitest.Reply) *user {
	t.Helper()
	w := plaintest.NewWorld(t, machine.Home, files, replies...)
	if err := allow(w); err != nil {
		t.Fatal(err)
	}
	runtime := plaintest.Scratch(t)
	u := &user{t: t, w: w, file: file, env: append(append([]string{}, w.Env...), "XDG_RUNTIME_DIR="+runtime, "QT_X11_NO_MITSHM=1", "QT_QPA_PLATFORM=xcb")}
	u.env = append(u.env, "DISPLAY=:"+u.display())
	u.run("dbus-run-session", "--", machine.Editor, "-n", "-b", w.Path(file))
	u.until("the window is there", func() bool { return u.search("--name", filepath.Base(file)) != nil })
	u.until("the server has the file", w.Served)
	if _, err := u.xdotool("windowfocus", "--sync", u.search("--name", filepath.Base(file))[0]); err != nil {
		t.Fatalf("xdotool windowfocus: %v", err)
	}
	return u
}

// allow answers for the user that Kate may start the server, enables the plugin, and turns
// off what covers the text.
func allow(w *plaintest.World) error {
	var command string // the first on the user's PATH
	for _, v := range w.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			command = filepath.Join(filepath.SplitList(path)[0], "emendo")
		}
	}
	return machine.Home.Write(".config/katerc", fmt.Sprintf(`[General]
Show welcome view for new window=false
Startup Session=new

[Kate Plugins]
lspclientplugin=true

[lspclient]
AllowedServerCommandLines=%s lsp,emendo lsp
`, command))
}

// display starts an X server and returns its number.
func (u *user) display() string {
	u.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		u.t.Fatal(err)
	}
	defer r.Close()
	u.start(&exec.Cmd{
		Path: u.find("Xvfb"), Args: []string{"Xvfb", "-displayfd", "3", "-screen", "0", "1300x850x24", "-nolisten", "tcp"},
		Env: u.env, ExtraFiles: []*os.File{w},
	})
	w.Close()
	var number string
	if _, err := fmt.Fscan(r, &number); err != nil {
		u.t.Fatalf("the X server does not start: %v", err)
	}
	return number
}

func (u *user) find(program string) string {
	u.t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		u.t.Fatal(err)
	}
	return path
}

func (u *user) run(program string, args ...string) {
	u.t.Helper()
	u.start(&exec.Cmd{Path: u.find(program), Args: append([]string{program}, args...), Dir: u.w.Dir, Env: u.env})
}

// start starts a program, which ends with the test, with all that it has started.
func (u *user) start(c *exec.Cmd) {
	u.t.Helper()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	printed, err := os.CreateTemp(u.t.TempDir(), "printed")
	if err != nil {
		u.t.Fatal(err)
	}
	defer printed.Close()
	c.Stdout, c.Stderr = printed, printed
	if err := c.Start(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
		_ = c.Wait()
		if text, err := os.ReadFile(printed.Name()); u.t.Failed() && err == nil {
			u.t.Logf("%s printed:\n%s", c.Args[0], text)
		}
	})
}

// until waits for a condition, and fails the test if it does not become true.
func (u *user) until(what string, holds func() bool) {
	u.t.Helper()
	late := time.Now().Add(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(late) {
			u.t.Fatalf("timed out waiting until %s; the windows are %q, and the document is\n%s", what, u.titles(), u.text(u.file))
		}
		<-tick.C
	}
}

func (u *user) xdotool(args ...string) (output string, err error) {
	c := exec.Command(u.find("xdotool"), args...)
	c.Env = u.env
	out, err := c.Output()
	return string(out), err
}

// search returns the visible windows of a kind.
func (u *user) search(by ...string) []string {
	out, err := u.xdotool(append([]string{"search", "--onlyvisible"}, by...)...)
	if err != nil { // there are none
		return nil
	}
	return strings.Fields(out)
}

func (u *user) windows() int { return len(u.search("--class", "kate")) }

func (u *user) titles() (l []string) {
	for _, w := range u.search("--class", "kate") {
		name, _ := u.xdotool("getwindowname", w) // it may be gone
		l = append(l, strings.TrimSpace(name))
	}
	return l
}

func (u *user) press(keys ...string) {
	u.t.Helper()
	if _, err := u.xdotool(append([]string{"key", "--delay", "30"}, keys...)...); err != nil {
		u.t.Fatalf("xdotool key %q: %v", keys, err)
	}
}

func (u *user) write(text string) {
	u.t.Helper()
	if _, err := u.xdotool("type", "--delay", "30", text); err != nil {
		u.t.Fatalf("xdotool type: %v", err)
	}
}

// offered returns how often Kate was answered which code actions there are, and the last
// answer.
func (u *user) offered() (answers int, titles []string) {
	u.t.Helper()
	asked := map[string]bool{}
	for _, m := range u.w.Wire() {
		switch {
		case !m.Server && m.Method == "textDocument/codeAction":
			asked[string(m.ID)] = true
		case m.Server && m.Method == "" && asked[string(m.ID)]:
			var l []struct{ Title string }
			if err := json.Unmarshal(m.Result, &l); err != nil {
				u.t.Fatal(err)
			}
			answers, titles = answers+1, nil
			for _, a := range l {
				titles = append(titles, a.Title)
			}
		}
	}
	return answers, titles
}

// choose chooses the code action whose title has this prefix. It retries, because the
// action may not be offered yet.
func (u *user) choose(title string) {
	u.t.Helper()
	closed := u.windows()
	for range 20 {
		before, _ := u.offered()
		u.press("alt+Return")
		var titles []string
		u.until("code actions are offered", func() bool {
			now, l := u.offered()
			titles = l
			return now > before
		})
		u.until("the menu is open", func() bool { return u.windows() > closed })
		for i, t := range titles {
			if strings.HasPrefix(t, title) {
				for range i + 1 {
					u.press("Down")
				}
				u.press("Return")
				u.until("the menu is closed", func() bool { return u.windows() == closed })
				return
			}
		}
		u.press("Escape")
		u.until("the menu is closed", func() bool { return u.windows() == closed })
	}
	u.t.Fatalf("the menu does not show %s", title)
}

// text returns the text of a file as Kate has sent it.
func (u *user) text(name string) (text string) {
	u.t.Helper()
	for _, m := range u.w.Wire() {
		var p struct {
			Document struct{ URI, Text string } `json:"textDocument"`
			Changes  []struct{ Text string }    `json:"contentChanges"`
		}
		if m.Server || json.Unmarshal(m.Params, &p) != nil || !strings.HasSuffix(p.Document.URI, "/"+name) {
			continue
		}
		switch m.Method {
		case "textDocument/didOpen":
			text = p.Document.Text
		case "textDocument/didChange":
			text = p.Changes[len(p.Changes)-1].Text // Kate sends the whole
		}
	}
	return text
}
