package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// sentPrompt is the prompt of a turn as it goes to the model.
type sentPrompt struct {
	prompt    state.Prompt
	messageID string
	custom    *slash.Command     // that the prompt calls for the model; nil for a built-in command or plain text
	expansion string             // of custom, once it is known
	media     []transcript.Given // files that custom sends as they are
	rejected  bool               // the user did not allow a command line of custom
}

// text returns the text of the prompt: as it was typed, or the prompt of its custom command.
func (p *sentPrompt) text() string {
	if p.expansion != "" {
		return p.expansion
	}
	return p.prompt.Text()
}

// isReady reports whether the prompt is ready for the model: it is no custom command, or has
// been replaced by the command's prompt.
func (p *sentPrompt) isReady() bool { return p.custom == nil || p.expansion != "" }

// expandPrompt replaces a command for the model by its prompt, and adds the resources of MCP
// servers that the prompt names. After an error the prompt is not sent.
func (t *Turn) expandPrompt(ctx context.Context, messageID string) (err error) {
	var parts []transcript.Given
	var withheld []transcript.Notice
	if c := t.sent.custom; c == nil {
		parts, withheld = slash.Resources(ctx, t.session, t.prompt, t.instructor.asker())
	} else if parts, err = c.Expand(ctx, t.session, t.prompt.Text(), commandHost{t}, t.instructor.asker()); err != nil {
		return fmt.Errorf("/%s was not sent: %w", c.Name, err)
	} else {
		t.sent.expansion = parts[0].Text
	}
	for _, g := range parts {
		g.MessageID = messageID
		t.conv.EmitSynced(g)
	}
	for _, n := range withheld {
		t.conv.Emit(n)
	}
	for _, file := range t.sent.media {
		file.MessageID, file.Kind = messageID, transcript.KindCommand
		t.conv.EmitSynced(file)
	}
	return nil
}

// notSent withdraws a prompt whose custom command could not be expanded.
func (t *Turn) notSent(code transcript.NoticeCode, why error) {
	t.conv.Emit(transcript.Withdrawn{MessageID: t.sent.messageID})
	t.conv.Emit(transcript.Notice{Severity: transcript.Error, Code: code, Title: "The prompt was not sent", Description: why.Error()})
}

// commandHost is a turn as the custom command of its prompt sees it. It implements
// [slash.CommandHost].
type commandHost struct{ turn *Turn }

// File implements [slash.CommandHost].
func (h commandHost) File(ctx context.Context, path string) (string, bool) {
	t := h.turn
	file, withheld := t.session.Briefing.Inserted(ctx, path, t.prompt.Snapshot)
	if withheld != nil {
		t.conv.Emit(*withheld)
		return "", false
	}
	if len(file.Data) > 0 {
		t.sent.media = append(t.sent.media, file)
	}
	return file.Text, true
}

// Run implements [slash.CommandHost]. The command lines are calls, which the user sees
// and the gate decides about; the model does not see them.
func (h commandHost) Run(ctx context.Context, lines []string) ([]slash.CommandOutput, error) {
	t := h.turn
	if !t.session.Trusted() {
		return nil, fmt.Errorf("it runs programs: %w", transcript.ErrUntrusted)
	}
	calls := map[string]*call{} // the first of each line; later ones have its permission
	var asked []*call
	for _, line := range lines {
		if calls[line] != nil {
			continue
		}
		one := t.newCall(h.shellCall(line))
		untrack := one.track(ctx)
		defer untrack()
		calls[line], asked = one, append(asked, one)
		allowed := false
		one.recovering(func() { allowed = one.mayRun(one.ctx) })
		if !allowed {
			for _, other := range asked {
				other.end(tools.Result{Err: tools.Errorf(tools.Cancelled, "It was not run: the prompt is not sent.")})
			}
			return nil, h.refusal(ctx, line, one)
		}
	}
	var outputs []slash.CommandOutput
	for i, line := range lines {
		one := calls[line]
		if slices.Contains(lines[:i], line) { // it runs again
			permission := one.permission
			one = t.newCall(h.shellCall(line))
			untrack := one.track(ctx)
			defer untrack()
			if !one.prepare(one.ctx) {
				return nil, h.refusal(ctx, line, one)
			}
			one.permission = permission
		}
		one.recovering(func() { one.carryOut(one.ctx) })
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		o, ok := slash.OutputOf(one.result)
		if !ok {
			return nil, h.refusal(ctx, line, one)
		}
		o.Text = t.session.Agent.Options.Secrets.Known(o.Text)
		outputs = append(outputs, o)
	}
	return outputs, nil
}

// shellCall announces a call that runs a command line.
func (h commandHost) shellCall(line string) transcript.ToolCall {
	t := h.turn
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		panic(err) // a map of strings
	}
	made := transcript.ToolCall{MessageID: t.sent.messageID, CallID: t.session.Agent.Options.NewID(), Name: shell.Name, Args: args, Aside: true}
	t.instructor.describe(&made)
	t.conv.Emit(made)
	return made
}

// refusal returns why a command line did not run.
func (h commandHost) refusal(ctx context.Context, line string, one *call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	why := "it was not allowed"
	switch {
	case one.permission.Answer != "":
		h.turn.sent.rejected, why = true, "you did not allow it"
	case one.result.Err != nil:
		h.turn.sent.rejected, why = one.result.Err.Type == tools.Cancelled, one.result.Err.Message
	}
	return &transcript.DeniedError{Rule: one.rule, Reason: fmt.Sprintf("%s: %s", tools.ShownLine(line, 200), why)}
}

// runCommand runs a built-in slash command as a turn that the model does not see.
func (t *Turn) runCommand(ctx context.Context, c *slash.Command) (state.Ended, error) {
	s := t.session
	id := s.Agent.Options.NewID()
	for _, b := range t.prompt.Blocks {
		t.conv.EmitSynced(transcript.UserChunk{MessageID: id, Block: b, Aside: true})
	}
	text, err := "", context.Cause(ctx)
	if ctx.Err() == nil {
		text, err = c.Run(ctx, t.conv, slashHost{t})
	}
	over := transcript.TurnEnded{StopReason: transcript.EndTurn, Aside: true}
	switch {
	case ctx.Err() != nil:
		over.StopReason, err = transcript.StopCancelled, nil
	case err != nil:
		over.StopReason = transcript.StopError
		t.conv.Emit(transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: fmt.Sprintf("/%s was not done", c.Name), Description: err.Error()})
	default:
		t.text = text
		t.conv.Emit(transcript.Text{MessageID: s.Agent.Options.NewID(), Text: text, Aside: true})
	}
	return t.end(over, err)
}

// slashHost is a turn as built-in commands see it. It implements [slash.Host].
type slashHost struct{ turn *Turn }

// Utility implements [slash.Host].
func (h slashHost) Utility(p model.Purpose) (model.Generator, string, error) {
	return h.turn.models.Utility(p)
}

// Compact implements [slash.Host].
func (h slashHost) Compact(ctx context.Context, focus string) (compact.Result, error) {
	t := h.turn
	event := transcript.Compaction{ID: t.session.Agent.Options.NewID(), Status: compacting}
	t.conv.Emit(event)
	done, err := t.compactor.sumUp(ctx, focus, func(e transcript.Shortened) error { t.conv.Emit(e); return nil })
	event.Status, event.OriginalTokens, event.NewTokens = compactionFails, done.Before, done.After
	if slices.Contains([]compact.Status{compact.Compacted, compact.ContentTruncated, compact.Noop}, done.Status) {
		event.Status = compacted
	}
	t.conv.Emit(event)
	return done, err
}

// Items implements [slash.Host].
func (h slashHost) Items(ctx context.Context) []transcript.ContextItem {
	t := h.turn
	files := t.session.Briefing.Files(ctx)
	_, said := t.session.Record.Messages()
	modules, specs := t.instructor.systemPrompt(files)
	return briefing.Items(modules, files, specs, said)
}
