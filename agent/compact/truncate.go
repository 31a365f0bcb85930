package compact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of an answer the model is given. Gemini CLI's 40,000 characters are
// a setting; what never goes to a model is more than 64 KiB.
const (
	DefaultOutput = 40_000   // characters
	mostBytes     = 64 << 10 // UTF-8
	leastOutput   = 1000     // characters, however full the context is: an answer has to say something
	headShare     = 5        // a fifth is from the beginning: what matters stands at the end more often
)

// Largest is how many characters of an answer may go to the model: what the
// setting says, and no more than what is left of the context, at four
// characters a token. A setting below 1 sets no bound: it gives 0.
func Largest(setting int, limit, used int64) int {
	if setting <= 0 {
		return 0
	}
	return max(int(min(int64(setting), 4*(limit-used))), leastOutput)
}

// Fits reports whether a text may go to the model whole: it has that many
// characters at most, where most is above 0, and never more than 64 KiB.
func Fits(text string, most int) bool {
	return len(text) <= mostBytes && (most <= 0 || len(text) <= most || utf8.RuneCountInString(text) <= most)
}

// Where says where a text is that a conversation no longer has in full. An
// empty path means that it was not kept; lost is how many bytes are missing from
// the middle of the file.
func Where(path string, lost int) string {
	switch {
	case path == "":
		return "The rest was not kept."
	case lost > 0:
		return fmt.Sprintf("What was kept of it, without %d bytes in the middle, is in %s: search it with grep_search, or read a part with read_file.", lost, path)
	}
	return fmt.Sprintf("The full text is in %s: search it with grep_search, or read a part with read_file; commands can read it too.", path)
}

// Truncate cuts a text that does not fit to its first fifth and its last four,
// of that many characters, and says how much is left out and where the rest is.
// A text that the note around the cut would make no shorter stays whole.
func Truncate(text string, most int, where string) string {
	if Fits(text, most) {
		return text
	}
	if most <= 0 {
		most = mostBytes
	}
	head := first(text, most/headShare, mostBytes/headShare)
	tail := last(text[len(head):], most-most/headShare, mostBytes-mostBytes/headShare)
	all := utf8.RuneCountInString(text)
	shown := [2]int{utf8.RuneCountInString(head), utf8.RuneCountInString(tail)}
	cut := fmt.Sprintf("(This output is too long. Below are its first %d and last %d characters. %s)\n\n%s\n\n(%d characters left out)\n\n%s",
		shown[0], shown[1], where, head, all-shown[0]-shown[1], tail)
	if len(cut) >= len(text) {
		return text
	}
	return cut
}

// first is the longest beginning of a text within that many characters and
// bytes.
func first(text string, chars, bytes int) string {
	end := 0
	for chars > 0 && end < len(text) {
		_, n := utf8.DecodeRuneInString(text[end:])
		if end+n > bytes {
			break
		}
		end += n
		chars--
	}
	return text[:end]
}

// last is the longest end of a text within that many characters and bytes.
func last(text string, chars, bytes int) string {
	begin := len(text)
	for chars > 0 && begin > 0 {
		_, n := utf8.DecodeLastRuneInString(text[:begin])
		if len(text)-begin+n > bytes {
			break
		}
		begin -= n
		chars--
	}
	return text[begin:]
}

// FileName names the file that keeps the answer to a call: in lower case,
// without what could lead out of a folder, and the tool's name once.
func FileName(tool, callID string) string {
	tool, callID = plain(tool), plain(callID)
	if strings.HasPrefix(callID, tool) {
		return callID + ".txt"
	}
	return tool + "_" + callID + ".txt"
}

// plain keeps letters, digits, hyphens and underscores.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			return unicode.ToLower(r)
		}
		return '_'
	}, s)
}
