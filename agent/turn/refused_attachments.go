package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// leaveOut returns the messages of a request without the attachments that were refused.
func (t *Turn) leaveOut(messages []model.Message) []model.Message {
	if t.bareFrom == 0 || t.bareFrom > len(messages) {
		return messages
	}
	at := t.bareFrom - 1
	return slices.Concat(messages[:at], model.WithoutBlobs(messages[at:], transcript.WithoutAttachment))
}

// withoutAttachments asks once more after an error, if attachments may be its reason, such as a
// damaged picture or a locked PDF file: with them, every later request would be refused too.
// Left out are those since the model's last answer, or if there are none and the provider
// names them, all. If that works they stay out of the conversation, over a restart too.
func (t *Turn) withoutAttachments(ctx context.Context, a answer, err error) (answer, error) {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Kind != model.Invalid || ctx.Err() != nil {
		return a, err
	}
	messages, _ := t.session.Record.Messages()
	var ids, all []string
	t.session.Record.Read(func(h *transcript.History) { ids, all = h.Attached(false), h.Attached(true) })
	from := 1
	if len(ids) > 0 {
		for i, m := range messages {
			if m.Role == model.Model && !transcript.Filler(m) {
				from = i + 1
			}
		}
	} else if transcript.NamesAttachment(e.Message) {
		ids = all
	}
	if len(ids) == 0 {
		return a, err
	}
	t.bareFrom = from
	again, failed := t.step(ctx)
	t.bareFrom = 0
	if failed != nil {
		if ctx.Err() != nil {
			return again, failed
		}
		return a, err // it was not for the attachments
	}
	t.conv.Emit(transcript.Shortened{Bare: ids})
	warnLeftOut(t.conv, t.models.Name(), e)
	return again, nil
}

// warnLeftOut tells the user that a model refused attachments.
func warnLeftOut(c *state.Conversation, name string, e *model.Error) {
	c.Warn(transcript.NoticeNotSent, "Attachments were left out", fmt.Sprintf("%s refused the request with them (%s). It got a note in their place, and they stay left out of this conversation.", name, cmp.Or(e.Message, string(e.Kind))))
}
