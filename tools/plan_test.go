package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// planning adds a folder of plans, PLANS in arguments.
func (w *world) planning(files map[string]string) (folder string) {
	w.t.Helper()
	folder, err := filepath.EvalSymlinks(w.t.TempDir())
	if err != nil {
		w.t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	tree, err := disk.NewTree([]string{folder})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { tree.Close() })
	w.Plans, w.Planning = tree, true
	w.View = func(ctx context.Context, name string) (ide.File, error) {
		in := w.w.Snapshot()
		if tree.Contains(name) {
			in = in.Within(tree)
		}
		return in.Read(ctx, name)
	}
	return folder
}

func TestEditsInPlanMode(t *testing.T) {
	for _, tt := range []struct{ name, path, want string }{
		{name: "a name that is nowhere is a plan", path: "plan.md", want: "PLANS/plan.md"},
		{name: "in a folder of it", path: "parts/plan.MD", want: "PLANS/parts/plan.MD"},
		{name: "absolute", path: "PLANS/plan.md", want: "PLANS/plan.md"},
		{name: "the workspace's own file", path: "README.md", want: "DIR/README.md"},
		{name: "no Markdown", path: "plan.txt", want: "DIR/plan.txt"},
		{name: "absolute in the workspace", path: "DIR/plan.md", want: "DIR/plan.md"},
		{name: "out of the folder", path: "../plan.md", want: "path_not_in_workspace: ..."},
		{name: "out of the folder by its path", path: "PLANS/../plan.md", want: "path_not_in_workspace: ..."},
		{name: "through a link", path: "PLANS/out/plan.md", want: "path_not_in_workspace: ..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"README.md": "old\n"})
			plans := w.planning(nil)
			if err := os.Symlink(t.TempDir(), filepath.Join(plans, "out")); err != nil {
				t.Fatal(err)
			}
			a, err := w.prepare(WriteFile, strings.ReplaceAll(`{"file_path":"`+tt.path+`","content":"new\n"}`, "PLANS", filepath.ToSlash(plans)))
			var got string
			if err != nil {
				got = w.text(Result{Err: err.(*Error)}) //nolint:errorlint // what else it is, the test shall fail with
			} else {
				got = strings.ReplaceAll(a.Effect.(Edits).Files[0].Path, w.dir, "DIR")
			}
			if got = filepath.ToSlash(strings.ReplaceAll(got, plans, "PLANS")); !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestPlanCanBeRead(t *testing.T) {
	w := newWorld(t, nil)
	plans := w.planning(map[string]string{"plan.md": "the plan\n"})
	w.Planning = false
	if got := w.text(w.call(ReadFile, `{"file_path":"`+filepath.ToSlash(plans)+`/plan.md"}`)); !strings.Contains(got, "the plan") {
		t.Errorf("got %q", got)
	}
}

func TestExitPlanMode(t *testing.T) {
	for _, tt := range []struct {
		name, path, want string
		acting           bool // not in plan mode
	}{
		{name: "by its name", path: "plan.md", want: "presents PLANS/plan.md: the plan"},
		{name: "absolute", path: "PLANS/plan.md", want: "presents PLANS/plan.md: the plan"},
		{name: "none there", path: "other.md", want: "file_not_found: cannot read other.md: ..."},
		{name: "empty", path: "empty.md", want: "invalid_tool_params: the plan empty.md is empty; ..."},
		{name: "no Markdown", path: "plan.txt", want: "invalid_tool_params: invalid params: plan_filename: plan.txt is not a .md file"},
		{name: "elsewhere", path: "../plan.md", want: "path_not_in_workspace: plan_filename ../plan.md is outside the session's plans folder, PLANS"},
		{name: "in the workspace", path: "DIR/README.md", want: "path_not_in_workspace: ..."},
		{name: "the folder", path: ".", want: "invalid_tool_params: ..."},
		{name: "no name", path: " ", want: "invalid_tool_params: invalid params: plan_filename is empty"},
		{name: "outside plan mode", path: "plan.md", acting: true, want: "invalid_tool_params: the session is not in plan mode, ..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"README.md": "x\n"})
			plans := w.planning(map[string]string{"plan.md": "the plan", "empty.md": " \n", "plan.txt": "x"})
			w.Planning = !tt.acting
			a, err := w.prepare(ExitPlanMode, strings.ReplaceAll(`{"plan_filename":"`+tt.path+`"}`, "PLANS", filepath.ToSlash(plans)))
			var got string
			if err != nil {
				got = w.text(Result{Err: err.(*Error)}) //nolint:errorlint // what else it is, the test shall fail with
			} else {
				p := a.Effect.(Presents)
				got = "presents " + filepath.ToSlash(p.Path) + ": " + p.Text
			}
			if got = strings.ReplaceAll(got, plans, "PLANS"); !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestEnterPlanMode(t *testing.T) {
	w := newWorld(t, nil)
	a, err := w.prepare(EnterPlanMode, `{"reason":" two\n  ways "}`)
	if err != nil || a.Title != "Plan first: two ways" || a.Effect != (Plans{"two ways"}) {
		t.Errorf("%+v, %v", a, err)
	}
	w.Planning = true
	if r := w.text(Result{Err: mustFail(t, w, EnterPlanMode, `{}`)}); !matches(r, "invalid_tool_params: the session is already in plan mode") {
		t.Errorf("got %q", r)
	}
}

// mustFail prepares an invalid call and returns the error.
func mustFail(t *testing.T, w *world, tool Tool, args string) *Error {
	t.Helper()
	a, err := w.prepare(tool, args)
	e, ok := err.(*Error) //nolint:errorlint // what else it is, the test shall fail with
	if !ok {
		t.Fatalf("%s: %+v, %v", args, a, err)
	}
	return e
}
