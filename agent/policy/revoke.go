package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/emendo-dev/emendo/internal/private"
)

// Remove removes a stored answer or grant by the ID with which it is listed, whatever
// project it is about, and reports whether there was one. What somebody wrote into a file of answers to ask or to deny is not removed.
func (a Answers) Remove(id string) (was bool, err error) {
	files, err := filepath.Glob(filepath.Join(a.State, "*.toml"))
	if err != nil {
		return false, err
	}
	for _, file := range append(files, a.File(Everywhere, "")) {
		if strings.HasSuffix(file, grantsEnd) {
			continue
		}
		if was, err := removeAnswer(file, id); was || err != nil {
			return was, err
		}
	}
	given, err := a.AllGrants()
	for _, g := range given {
		if g.Listed().ID == id {
			return a.Revoke(g)
		}
	}
	return false, err
}

// removeAnswer removes an answer from a file, and reports whether it was in it.
func removeAnswer(file, id string) (was bool, err error) {
	if text, err := findAnswer(file, id); text == nil || err != nil { // without a lock, so that looking leaves nothing behind
		return false, err
	}
	unlock, err := lock(file)
	if err != nil {
		return false, err
	}
	defer unlock()
	text, err := findAnswer(file, id)
	if text == nil || err != nil {
		return false, err
	}
	kept, mistake := keepUnless(file, text, func(o *Rule) bool { return o.Answer && o.listedAnswer().ID == id })
	if mistake != nil {
		return false, mistake
	}
	if len(kept.Rules)+len(kept.Checkers) == 0 {
		return true, os.Remove(file)
	}
	out, err := toml.Marshal(kept)
	if err != nil {
		return false, err
	}
	if err := private.Replace(file, append(heading(text), out...)); err != nil {
		return false, fmt.Errorf("remove an answer: %w", err)
	}
	return true, nil
}

// findAnswer returns the text of a file that has an answer which is listed with that ID,
// else nil. A file that cannot be read has none: no rule of it is listed.
func findAnswer(file, id string) ([]byte, error) {
	text, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rules, _, mistake := reader{file: file, tier: OfUser, answers: true}.read(text)
	if mistake != nil || !slices.ContainsFunc(rules, func(r *Rule) bool { return r.Answer && r.listedAnswer().ID == id }) {
		return nil, nil //nolint:nilerr // it is not there
	}
	return text, nil
}

// heading returns the comments at the beginning of a file.
func heading(text []byte) []byte {
	var head []byte
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		head = append(head, line...)
	}
	return head
}
