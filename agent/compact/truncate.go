package compact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the output that the model receives. Gemini CLI's 40,000 characters are
// the default of a setting; more than 64 KiB are never sent.
const (
	DefaultOutput = 40_000   // characters
	mostBytes     = 64 << 10 // of UTF-8
	leastOutput   = 1000     // characters, even if the context is full: a result has to say something
	headShare     = 5        // a fifth is taken from the beginning: the end matters more often
)

// Largest returns how many characters of a result may be sent: as many as the setting
// permits and as fit the rest of the context, at four characters a token. It returns
// 0, no limit, for a setting below 1.
func Largest(setting int, limit, used int64) int {
	if setting <= 0 {
		return 0
	}
	return max(int(min(int64(setting), 4*(limit-used))), leastOutput)
}

// Fits reports whether a text may be sent whole: it has at most 64 KiB and, if most is
// above 0, at most that many characters.
func Fits(text string, most int) bool {
	return len(text) <= mostBytes && (most <= 0 || len(text) <= most || utf8.RuneCountInString(text) <= most)
}

// Where returns a note on where the full text of a result is. An empty path means that
// it was not saved; lost counts the bytes missing from the middle of the file.
func Where(path string, lost int) string {
	switch {
	case path == "":
		return "The rest was not saved."
	case lost > 0:
		return fmt.Sprintf("All of it but %d bytes in the middle is in %s: search it with grep_search, or read a part with read_file.", lost, path)
	}
	return fmt.Sprintf("The full text is in %s: search it with grep_search, or read a part with read_file; commands can read it too.", path)
}

// Truncate cuts a text that does not fit to most characters, a fifth of them from its
// beginning and the rest from its end, with a note on what is omitted and where it is.
// It returns the text whole if the result would not be shorter.
func Truncate(text string, most int, where string) string {
	if Fits(text, most) {
		return text
	}
	if most <= 0 {
		most = mostBytes
	}
	head := prefixWithin(text, most/headShare, mostBytes/headShare)
	tail := suffixWithin(text[len(head):], most-most/headShare, mostBytes-mostBytes/headShare)
	all := utf8.RuneCountInString(text)
	shown := [2]int{utf8.RuneCountInString(head), utf8.RuneCountInString(tail)}
	cut := fmt.Sprintf("(This output is too long. Below are its first %d and last %d characters. %s)\n\n%s\n\n(%d characters omitted)\n\n%s",
		shown[0], shown[1], where, head, all-shown[0]-shown[1], tail)
	if len(cut) >= len(text) {
		return text
	}
	return cut
}

// prefixWithin returns the longest prefix of a text within that many characters and bytes.
func prefixWithin(text string, chars, bytes int) string {
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

// suffixWithin returns the longest suffix of a text within that many characters and bytes.
func suffixWithin(text string, chars, bytes int) string {
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

// FileName returns the name of the file with the output of a call. It is in lower
// case, cannot lead out of a folder, and has the tool's name once.
func FileName(tool, callID string) string {
	tool, callID = plain(tool), plain(callID)
	if strings.HasPrefix(callID, tool) {
		return callID + ".txt"
	}
	return tool + "_" + callID + ".txt"
}

// plain replaces everything but ASCII letters, digits and hyphens by underscores.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			return unicode.ToLower(r)
		}
		return '_'
	}, s)
}
