package compact

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tokens"
)

// How old answers are masked when MaskOptions do not say: Gemini CLI's figures,
// in tokens.
const (
	DefaultProtected = 50_000
	DefaultPrunable  = 30_000
)

// MaskOptions tune [Mask].
type MaskOptions struct {
	Protected int64 // tokens of the newest answers that stay; 0: DefaultProtected
	Prunable  int64 // tokens of older ones from which masking is worth it; 0: DefaultPrunable
	// Latest masks answers in the last message too, which the model has not
	// read yet.
	Latest bool
	Save   Save          // keeps what is masked; nil: it is lost
	Count  *tokens.Cache // of this session; nil: none
}

// unmasked are tools whose answers are decisions or instructions, which hold on.
var unmasked = []string{"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"}

// A masked answer stands between these.
const (
	maskBegins = "<tool_output_masked>"
	maskEnds   = "</tool_output_masked>"
)

// Mask replaces old answers of tools by a preview and the place where all of
// them is kept, when there are enough of these to make it worth losing what the
// provider has cached of the conversation. The newest answers stay, and so does
// what is masked already, what a mask would make no shorter, and what cannot be
// saved. The messages given are not changed.
//
// Whoever calls it before each request keeps the cuts, and gives it messages in
// which they are made: else each answer that grows old is masked by itself.
func Mask(messages []model.Message, o MaskOptions) ([]model.Message, []Cut) {
	if o.Protected == 0 {
		o.Protected = DefaultProtected
	}
	if o.Prunable == 0 {
		o.Prunable = DefaultPrunable
	}
	old, size := prunable(messages, o)
	if size < o.Prunable {
		return messages, nil
	}
	return rewrite(messages, func(r model.Result) (model.Result, bool) {
		if !old[r.CallID] {
			return r, false
		}
		path, err := keep(o.Save, r)
		if err != nil {
			return r, false
		}
		masked := r
		masked.Output, masked.Blobs = mask(r, path), nil
		return masked, tokens.Part(masked) < tokens.Part(r)
	})
}

// prunable finds the answers that are older than the protected ones, by their
// calls, and their size in tokens.
func prunable(messages []model.Message, o MaskOptions) (old map[string]bool, size int64) {
	if !o.Latest && len(messages) > 0 {
		messages = messages[:len(messages)-1]
	}
	old = map[string]bool{}
	var newer int64
	rewrite(messages, func(r model.Result) (model.Result, bool) {
		if slices.Contains(unmasked, r.Name) || strings.HasPrefix(r.Output, maskBegins) {
			return r, false
		}
		n := o.Count.Part(r)
		if newer += n; newer > o.Protected {
			old[r.CallID] = true
			size += n
		}
		return r, false
	})
	return old, size
}

// mask is what stands for an answer.
func mask(r model.Result, path string) string {
	where := "The rest was not kept; call the tool again if you need it."
	if path != "" {
		where = "It is kept in " + path + ": search it with grep_search, or read a part with read_file."
	}
	preview := strings.ReplaceAll(previewOf(r), maskEnds, "&lt;"+maskEnds[1:])
	return maskBegins + "\n" + preview + withoutBlobs(r.Blobs) + "\n" + where + "\n" + maskEnds
}

// What a preview shows, in characters and lines: Gemini CLI's figures, and a
// bound for the lines of commands, which may be of any length.
const (
	previewChars  = 500
	previewLines  = 20
	commandsChars = 2000
)

// previewOf is the beginning and the end of an answer. Of a command's, which
// has its output between tags, what is said around these stays: how it ended
// is what matters of it later.
func previewOf(r model.Result) string {
	if r.Name != "run_shell_command" {
		return ends(r.Output, previewChars)
	}
	const begin, end = "<untrusted_context>\n", "\n</untrusted_context>"
	from, to := strings.Index(r.Output, begin), strings.LastIndex(r.Output, end)
	if from < 0 || to < from+len(begin) {
		return ends(r.Output, commandsChars)
	}
	from += len(begin)
	return ends(r.Output[:from], previewChars) + ends(endLines(r.Output[from:to]), commandsChars) + ends(r.Output[to:], previewChars)
}

// endLines is the first and the last lines of a text.
func endLines(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= previewLines {
		return text
	}
	half := previewLines / 2
	gap := fmt.Sprintf("(%d lines are left out here.)", len(lines)-2*half)
	return strings.Join(slices.Concat(lines[:half], []string{gap}, lines[len(lines)-half:]), "\n")
}

// ends is the beginning and the end of a text that has more characters.
func ends(text string, most int) string {
	n := utf8.RuneCountInString(text)
	if n <= most {
		return text
	}
	return fmt.Sprintf("%s\n(%d characters are left out here.)\n%s", first(text, most/2, len(text)), n-most/2*2, last(text, most/2, len(text)))
}
