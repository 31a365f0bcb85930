package turn

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/tools"
)

// Notify runs the Notification hooks while the user is asked about a call. The
// function that it returns waits for them.
func (t *turnHooks) Notify(ctx context.Context, q frontend.Question, e tools.Effect) (wait func()) {
	if !t.conv.Session.HasHooks(hooks.Notification) {
		return func() {}
	}
	details := map[string]any{"title": q.Call.Title, "tool_name": q.Call.Name, "tool_input": q.Call.Args}
	kind, does := "info", "asks for permission"
	switch e := e.(type) { //nolint:gochecksumtype // the others have no details of their own
	case tools.Runs:
		kind, does = "exec", "wants to run a command"
		details["command"] = e.Command
		if words := strings.Fields(e.Command); len(words) > 0 {
			details["rootCommand"] = words[0]
		}
	case tools.Edits:
		kind, does = "edit", "wants to edit"
		if len(q.Call.Diffs) == 1 { // hooks know edits of one file
			d := q.Call.Diffs[0]
			name, old := filepath.Base(d.Path), ""
			if d.Old != nil {
				old = *d.Old
			}
			details["filePath"], details["fileName"], details["originalContent"], details["newContent"] = d.Path, name, old, d.New
			details["fileDiff"] = diff.Unified(name, name, old, d.New)
		}
	}
	details["type"] = kind
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	asked.Go(func() {
		t.Fire(ctx, hooks.NotificationInput{Type: "ToolPermission", Message: fmt.Sprintf("%s %s: %s", q.Call.Name, does, q.Call.Title), Details: details})
	})
	return func() { // a notification about a question that has been answered is of little use
		late := time.AfterFunc(notifyGrace, cancel)
		defer late.Stop()
		defer cancel()
		asked.Wait()
	}
}

// notifyGrace is how long Notification hooks may run after the answer.
const notifyGrace = time.Second
