package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
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
	text, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !hasAnswer(file, text, id) { // without a lock, so that looking leaves nothing behind
		return false, err
	}
	err = changeFile(file, func(text []byte) ([]byte, error) {
		if was = hasAnswer(file, text, id); !was {
			return text, nil
		}
		kept, mistake := withoutRules(file, text, func(o *Rule) bool { return o.Answer && o.listedAnswer().ID == id })
		if mistake != nil {
			return nil, mistake
		}
		if len(kept.Rules)+len(kept.Checkers) == 0 {
			return nil, nil
		}
		return withHead(string(heading(text)), kept)
	})
	if err != nil {
		return false, fmt.Errorf("remove an answer: %w", err)
	}
	return was, nil
}

// hasAnswer reports whether a file with that text has an answer which is listed with that
// ID. A file that cannot be read has none: no rule of it is listed.
func hasAnswer(file string, text []byte, id string) bool {
	rules, _, mistake := reader{file: file, tier: OfUser, answers: true}.read(text)
	return mistake == nil && slices.ContainsFunc(rules, func(r *Rule) bool { return r.Answer && r.listedAnswer().ID == id })
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
