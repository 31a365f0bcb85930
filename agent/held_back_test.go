package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// writing is a command that writes files.
type writing struct {
	dir   *string
	files map[string]string // by path in dir; an empty text removes the file
}

func (writing) Spec() tools.Spec {
	return tools.Spec{Name: "run", Display: "run", Kind: tools.Execute, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (x writing) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	run := func(tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(context.Context, func(tools.Progress)) tools.Result {
			for name, text := range x.files {
				path := filepath.Join(*x.dir, name)
				err := os.WriteFile(path, []byte(text), 0o644)
				if text == "" {
					err = os.Remove(path)
				}
				if err != nil {
					return tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)}
				}
			}
			return tools.Result{Output: "written"}
		}
	}
	part := shellcmd.Part{Text: "run", Words: []string{"run"}, Known: true, ReadOnly: true}
	return tools.Action{Title: "run", Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "run", Dir: *x.dir, Parts: []shellcmd.Part{part}, Known: true}}, Run: run(tools.Access{}), WithAccess: run}, nil
}

// In mode yolo what a command changes of the files that tools run by themselves stays, and is
// named first in a notice.
func TestChangedBuildFilesAreToldInYolo(t *testing.T) {
	for _, after := range []bool{false, true} {
		replies := []modeltest.Reply{calls("run"), done()}
		if after {
			replies = append([]modeltest.Reply{calls("page")}, replies...)
		}
		inWorld(t, map[string]string{"Makefile": "all:\n", "a.txt": "one\n"}, replies, func(t *testing.T, w *world) {
			w.options = func(o *state.Options) {
				o.Tools = append(o.Tools, writing{&w.dir, map[string]string{"Makefile": "all:\n\tevil\n", "a.txt": "two\n"}}, outside{"page", tools.OfWeb, tools.Reads{}})
			}
			w.stop()
			w.start()
			w.prompt(w.session(policy.Yolo), "look")
			if got := w.file("Makefile"); got != "all:\n\tevil\n" {
				t.Errorf("the file has %q", got)
			}
			want := ""
			if after {
				want = "A command changed files that tools run by themselves: Makefile: Content from the network (by page)"
			}
			if got := w.noticesOf(transcript.NoticeOutside); !strings.HasPrefix(got, want) || (got == "") == after {
				t.Errorf("the notices are %q", got)
			}
		})
	}
}
