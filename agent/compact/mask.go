package compact

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/shell"
)

// Defaults of [MaskOptions], in tokens: Gemini CLI's figures.
const (
	DefaultProtected = 50_000
	DefaultPrunable  = 30_000
)

// MaskOptions tune [Mask].
type MaskOptions struct {
	Protected int64 // tokens of the newest results that stay; 0: DefaultProtected
	Prunable  int64 // tokens of older results that make masking worthwhile; 0: DefaultPrunable
	// Latest also masks results in the last message, which the model has not read
	// yet.
	Latest bool
	Save   Save // stores what is masked; nil: it is lost
}

// The tags around a masked result.
const (
	maskBegins = "<tool_output_masked>"
	maskEnds   = "</tool_output_masked>"
)

// Mask replaces old tool results by a preview and the path of the full output, once
// there are enough of them to make up for the loss of the provider's cache. It leaves
// the newest results, those that are masked already, those that a mask would not
// shorten, and those that cannot be saved. It does not modify messages.
//
// A caller that masks before each request must apply the returned cuts to later
// messages. Otherwise each result is masked separately as it becomes old.
func Mask(messages []model.Message, o MaskOptions) ([]model.Message, []transcript.Cut) {
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
		path, err := saveOutput(o.Save, r)
		if err != nil {
			return r, false
		}
		masked := r
		masked.Output, masked.Blobs = maskedText(r, path), nil
		return masked, model.PartTokens(masked) < model.PartTokens(r)
	})
}

// prunable returns the IDs of the calls whose results are older than the protected
// ones, and the size of these results in tokens.
func prunable(messages []model.Message, o MaskOptions) (old map[string]bool, size int64) {
	if !o.Latest && len(messages) > 0 {
		messages = messages[:len(messages)-1]
	}
	old = map[string]bool{}
	var newer int64
	rewrite(messages, func(r model.Result) (model.Result, bool) {
		if builtin.Of(r.Name).Lasting || strings.HasPrefix(r.Output, maskBegins) {
			return r, false
		}
		n := model.PartTokens(r)
		if newer += n; newer > o.Protected {
			old[r.CallID] = true
			size += n
		}
		return r, false
	})
	return old, size
}

// maskedText returns the text that replaces a result.
func maskedText(r model.Result, path string) string {
	where := "The rest was not saved; call the tool again if you need it."
	if path != "" {
		where = "The full output is in " + path + ": search it with grep_search, or read a part with read_file."
	}
	preview := strings.ReplaceAll(previewOf(r), maskEnds, "&lt;"+maskEnds[1:])
	return maskBegins + "\n" + preview + withoutBlobs(r.Blobs) + "\n" + where + "\n" + maskEnds
}

// Sizes of a preview: Gemini CLI's figures, and a limit for the output of commands,
// whose lines may be of any length.
const (
	previewChars  = 500
	previewLines  = 20   // of a command's output
	commandsChars = 2000 // of a command's output
)

// previewOf returns the beginning and the end of a result. For a command it keeps
// the text around the output, which includes the exit status.
func previewOf(r model.Result) string {
	if r.Name != shell.Name {
		return bothEnds(r.Output, previewChars)
	}
	const begin, end = "<untrusted_context>\n", "\n</untrusted_context>"
	from, to := strings.Index(r.Output, begin), strings.LastIndex(r.Output, end)
	if from < 0 || to < from+len(begin) {
		return bothEnds(r.Output, commandsChars)
	}
	from += len(begin)
	return bothEnds(r.Output[:from], previewChars) + bothEnds(endLines(r.Output[from:to]), commandsChars) + bothEnds(r.Output[to:], previewChars)
}

// endLines returns the first and the last lines of a text.
func endLines(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= previewLines {
		return text
	}
	half := previewLines / 2
	gap := fmt.Sprintf("(%d lines omitted)", len(lines)-2*half)
	return strings.Join(slices.Concat(lines[:half], []string{gap}, lines[len(lines)-half:]), "\n")
}

// bothEnds returns the beginning and the end of a text that has more than most
// characters.
func bothEnds(text string, most int) string {
	n := utf8.RuneCountInString(text)
	if n <= most {
		return text
	}
	return fmt.Sprintf("%s\n(%d characters omitted)\n%s", prefixWithin(text, most/2, len(text)), n-most/2*2, suffixWithin(text, most/2, len(text)))
}
