package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/commands"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// slashPrompt is the slash command of a turn's prompt.
type slashPrompt struct {
	*Turn

	custom    *slash.Command     // that the prompt calls for the model; nil for a built-in command or plain text
	text      string             // that custom expanded to
	messageID string             // of the prompt
	media     []transcript.Given // files that custom sends as they are
	rejected  bool               // the user did not allow a command line of custom
}

// expand replaces a command for the model by its prompt, and adds the resources of MCP
// servers that the prompt names. After an error the prompt is not sent.
func (t *slashPrompt) expand(ctx context.Context, messageID string) (err error) {
	var parts []transcript.Given
	var withheld []transcript.Notice
	if t.custom == nil {
		parts, withheld = slash.Resources(ctx, t.Session, t.prompt, t.Instructor.asker())
	} else if parts, err = t.custom.Expand(ctx, t.Session, t.prompt.Text(), t, t.Instructor.asker()); err != nil {
		return fmt.Errorf("/%s was not sent: %w", t.custom.Name, err)
	} else {
		t.slash.text = parts[0].Text
	}
	for _, g := range parts {
		g.MessageID = messageID
		t.EmitSynced(g)
	}
	for _, n := range withheld {
		t.Emit(n)
	}
	for _, file := range t.media {
		file.MessageID, file.Kind = messageID, transcript.KindCommand
		t.EmitSynced(file)
	}
	return nil
}

// expanded reports whether the prompt is ready for the model: it is no custom command,
// or has been replaced by the command's prompt.
func (t *slashPrompt) expanded() bool { return t.custom == nil || t.slash.text != "" }

// notSent withdraws a prompt whose custom command could not be expanded.
func (t *slashPrompt) notSent(code transcript.NoticeCode, why error) {
	t.Emit(transcript.Withdrawn{MessageID: t.messageID})
	t.Emit(transcript.Notice{Severity: transcript.Error, Code: code, Title: "The prompt was not sent", Description: why.Error()})
}

// asked returns the text of the prompt: as it was typed, or the prompt of its custom
// command.
func (t *slashPrompt) asked() string {
	if t.slash.text != "" {
		return t.slash.text
	}
	return t.prompt.Text()
}

// File implements [commands.Host].
func (t *slashPrompt) File(ctx context.Context, path string) (string, bool) {
	file, withheld := t.Session.Briefing.Inserted(ctx, path, t.prompt.Snapshot)
	if withheld != nil {
		t.Emit(*withheld)
		return "", false
	}
	if len(file.Data) > 0 {
		t.media = append(t.media, file)
	}
	return file.Text, true
}

// Run implements [commands.Host]. The command lines are calls, which the user sees
// and the gate decides about; the model does not see them.
func (t *slashPrompt) Run(ctx context.Context, lines []string) ([]commands.Output, error) {
	if !t.Session.Trusted() {
		return nil, fmt.Errorf("it runs programs: %w", transcript.ErrUntrusted)
	}
	calls := map[string]*call{} // the first of each line; later ones have its permission
	var asked []*call
	for _, line := range lines {
		if calls[line] != nil {
			continue
		}
		one := t.newCall(t.shellCall(line))
		untrack := one.track(ctx)
		defer untrack()
		calls[line], asked = one, append(asked, one)
		allowed := false
		one.recovering(func() { allowed = one.mayRun(one.ctx) })
		if !allowed {
			for _, other := range asked {
				other.end(tools.Result{Err: tools.Errorf(tools.Cancelled, "It was not run: the prompt is not sent.")})
			}
			return nil, t.refusal(ctx, line, one)
		}
	}
	var outputs []commands.Output
	for i, line := range lines {
		one := calls[line]
		if slices.Contains(lines[:i], line) { // it runs again
			permission := one.permission
			one = t.newCall(t.shellCall(line))
			untrack := one.track(ctx)
			defer untrack()
			if !one.prepare(one.ctx) {
				return nil, t.refusal(ctx, line, one)
			}
			one.permission = permission
		}
		one.recovering(func() { one.carryOut(one.ctx) })
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		o, ok := commands.OutputOf(one.result)
		if !ok {
			return nil, t.refusal(ctx, line, one)
		}
		o.Text = t.Session.Agent.Options.Secrets.Known(o.Text)
		outputs = append(outputs, o)
	}
	return outputs, nil
}

// shellCall announces a call that runs a command line.
func (t *slashPrompt) shellCall(line string) transcript.ToolCall {
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		panic(err) // a map of strings
	}
	made := transcript.ToolCall{MessageID: t.messageID, CallID: t.Session.Agent.Options.NewID(), Name: shell.Name, Args: args, Aside: true}
	t.Instructor.describe(&made)
	t.Emit(made)
	return made
}

// refusal returns why a command line did not run.
func (t *slashPrompt) refusal(ctx context.Context, line string, one *call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	why := "it was not allowed"
	switch {
	case one.permission.Answer != "":
		t.rejected, why = true, "you did not allow it"
	case one.result.Err != nil:
		t.rejected, why = one.result.Err.Type == tools.Cancelled, one.result.Err.Message
	}
	return &transcript.DeniedError{Rule: one.rule, Reason: fmt.Sprintf("%s: %s", tools.ShownLine(line, 200), why)}
}

// run runs a built-in slash command as a turn that the model does not see.
func (t *slashPrompt) run(ctx context.Context, c *slash.Command) (state.Ended, error) {
	s := t.Session
	id := s.Agent.Options.NewID()
	for _, b := range t.prompt.Blocks {
		t.EmitSynced(transcript.UserChunk{MessageID: id, Block: b, Aside: true})
	}
	text, err := "", context.Cause(ctx)
	if ctx.Err() == nil {
		text, err = c.Run(ctx, t.host())
	}
	over := transcript.TurnEnded{StopReason: transcript.EndTurn, Aside: true}
	switch {
	case ctx.Err() != nil:
		over.StopReason, err = transcript.StopCancelled, nil
	case err != nil:
		over.StopReason = transcript.StopError
		t.Emit(transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: fmt.Sprintf("/%s was not done", c.Name), Description: err.Error()})
	default:
		t.Turn.text = text
		t.Emit(transcript.Text{MessageID: s.Agent.Options.NewID(), Text: text, Aside: true})
	}
	return t.end(over, err)
}

// host returns the turn as slash commands see it.
func (t *slashPrompt) host() slash.Host {
	return slash.Host{
		Session: t.Session, Emit: t.Emit, Flush: func() error { return t.Outbox.Flush(nil) }, Utility: t.models.Utility,
		Compact: func(ctx context.Context, focus string) (compact.Status, int64, int64, error) {
			event := transcript.Compaction{ID: t.Session.Agent.Options.NewID(), Status: compacting}
			t.Emit(event)
			done, err := t.Compactor.SumUp(ctx, focus, func(e transcript.Shortened) error { t.Emit(e); return nil })
			event.Status, event.OriginalTokens, event.NewTokens = compactionFails, done.Before, done.After
			status := compact.Status(done.Status)
			if slices.Contains([]compact.Status{compact.Compacted, compact.ContentTruncated, compact.Noop}, status) {
				event.Status = compacted
			}
			t.Emit(event)
			return status, done.Before, done.After, err
		},
		Items: func(ctx context.Context) []transcript.ContextItem {
			files := t.Session.Briefing.Files(ctx)
			_, said := t.Messages()
			modules, specs := t.Instructor.systemPrompt(files)
			return briefing.Items(modules, files, specs, said)
		},
	}
}
