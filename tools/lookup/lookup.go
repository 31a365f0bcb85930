// Package lookup finds the tool that a call means, and brings the call's arguments
// into the form that the tool declares.
package lookup

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/emendo-dev/emendo/internal/spelling"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/patch"
)

// ignoredArgument is an argument that some models were trained to pass to every
// tool. Calls run in order anyway.
const ignoredArgument = "wait_for_previous"

// wrapped matches a name in the namespace that some models write before the names of
// tools, and with a number after it.
const wrapped = `^(?:default_api|functions|tools|tool)[.:](\w[\w.-]*?)(?::\d+)?$`

// Name returns the name of the tool that a call means, which its arguments may say.
func Name(name string, args json.RawMessage) string {
	switch name {
	case "str_replace_editor", "str_replace_based_edit_tool":
		var given struct {
			Command string `json:"command"`
		}
		if json.Unmarshal(args, &given) == nil && builtin.EditorCommands()[given.Command] != "" {
			return builtin.EditorCommands()[given.Command]
		}
	case "run_shell_command", "bash", "shell", "exec", "exec_command", "local_shell":
		var given struct {
			Command jsontext.Value `json:"command"`
		}
		var line string
		var words []string
		if json.Unmarshal(args, &given) != nil {
			return name
		}
		if jsonv2.Unmarshal(given.Command, &line) == nil && patches(line) || jsonv2.Unmarshal(given.Command, &words) == nil && len(words) == 2 && words[0] == patch.Name {
			return patch.Name
		}
	}
	return name
}

// document matches the beginning of a command with a here-document for apply_patch, which
// some models know as a program; quoted matches one with the patch as an argument.
var (
	document = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*apply_patch\s+<<-?\s*['"]?(\w+)['"]?\s*\n`)
	})
	quoted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*apply_patch\s+'\*\*\* Begin Patch\n[^']*'\s*$`)
	})
)

// patches reports whether a command does nothing but apply a patch.
func patches(command string) bool {
	m := document().FindStringSubmatch(command)
	if m == nil {
		return quoted().MatchString(command)
	}
	lines := strings.Split(strings.TrimSpace(command), "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == m[1] {
			return i == len(lines)-1
		}
	}
	return false
}

// Find returns the tool with that name or alias, or nil.
func Find(all []tools.Tool, name string) tools.Tool {
	if t := find(all, name); t != nil {
		return t
	}
	if m := regexp.MustCompile(wrapped).FindStringSubmatch(name); m != nil {
		return find(all, m[1])
	}
	return nil
}

func find(all []tools.Tool, name string) tools.Tool {
	for _, t := range all {
		if t.Spec().Name == name {
			return t
		}
	}
	for _, t := range all {
		if slices.Contains(t.Spec().Aliases, name) {
			return t
		}
	}
	return nil
}

// Canonical returns the arguments of a call under the names that the tool
// declares, so that rules and hooks see one form. A synonym is replaced unless its
// argument is given too, wait_for_previous is dropped, and other forms are adapted.
// Arguments that are not one JSON object without duplicates are returned unchanged.
func Canonical(s tools.Spec, args json.RawMessage) json.RawMessage {
	return edited(args, func(given tools.Given) bool {
		changed := !bytes.Contains(s.Schema, []byte(ignoredArgument)) && given.Drop(ignoredArgument)
		for _, name := range slices.Sorted(maps.Keys(given)) {
			to := s.Synonyms[name]
			if _, both := given[to]; to != "" && !both {
				given[to], changed = given[name], true
				delete(given, name)
			}
		}
		return s.Adapt != nil && s.Adapt(given) || changed
	})
}

// edited returns the arguments of a call as edit changes them, which reports whether it
// did. Only one JSON object without duplicates can be changed.
func edited(args json.RawMessage, edit func(tools.Given) bool) json.RawMessage {
	var given tools.Given
	if jsonv2.Unmarshal(args, &given) != nil || given == nil || !edit(given) {
		return args
	}
	out, err := jsonv2.Marshal(given, jsonv2.Deterministic(true))
	if err != nil {
		return args
	}
	return out
}

// PlainPaths applies [tools.TrimAt] to the paths in the arguments of a call, so that
// rules, hooks and questions see the path that the tool uses.
func PlainPaths(env tools.Env, args json.RawMessage) json.RawMessage {
	if !bytes.Contains(args, []byte("@")) && !bytes.Contains(args, []byte(`\u0040`)) {
		return args
	}
	return edited(args, func(given tools.Given) (changed bool) {
		for _, param := range []string{"file_path", "dir_path"} {
			var name string
			if given[param].Kind() != '"' || jsonv2.Unmarshal(given[param], &name) != nil {
				continue
			}
			plain := tools.TrimAt(env, name)
			if value, err := jsontext.AppendQuote(nil, plain); err == nil && plain != name {
				given[param], changed = value, true
			}
		}
		return changed
	})
}

// Unknown returns the error for a call of a tool that does not exist. offered
// are the names of the tools that the model was given.
func Unknown(name string, offered []string) *tools.Error {
	plain := builtin.Plain(name)
	near := builtin.Similar(name)
	if !slices.Contains(offered, near) {
		var letters int
		if near, letters = spelling.Nearest(name, offered); letters > 1+len(near)/5 {
			near = ""
		}
		for _, o := range offered {
			if strings.ReplaceAll(o, "_", "") == plain {
				near = o
			}
		}
	}
	switch {
	case near != "":
		return tools.Errorf(tools.NotRegistered, "unknown tool %q; did you mean %s?", tools.Shown(name), near)
	case len(offered) == 0:
		return tools.Errorf(tools.NotRegistered, "unknown tool %q; this request has no tools", tools.Shown(name))
	}
	return tools.Errorf(tools.NotRegistered, "unknown tool %q; the tools are %s", tools.Shown(name), strings.Join(offered, ", "))
}
