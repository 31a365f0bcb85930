package policy

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/spelling"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/shell"
)

// Limits of texts that are displayed, in bytes.
const (
	maxName    = 200
	maxMessage = 4096
)

// oldFields maps former field names of Gemini CLI to the current ones.
var oldFields = map[string]string{
	"tool_name": "toolName", "mcp_name": "mcpName", "args_pattern": "argsPattern", "command_prefix": "commandPrefix", "command_regex": "commandRegex",
	"tool_annotations": "toolAnnotations", "allow_redirection": "allowRedirection", "deny_message": "denyMessage",
}

// ruleFields sets the fields of a rule.
var ruleFields = map[string]func(*Rule, any) error{
	"name": func(r *Rule, v any) error {
		err := shown(v, maxName, &r.Name)
		r.Name = tools.Shown(r.Name)
		return err
	},
	"denyMessage":  func(r *Rule, v any) error { return shown(v, maxMessage, &r.Message) },
	"subagent":     func(r *Rule, v any) error { return text(v, &r.Subagent) },
	"mcpName":      func(r *Rule, v any) error { return text(v, &r.Server) },
	"toolName":     func(r *Rule, v any) error { return texts(v, &r.Tools) },
	"argsPattern":  setArgs,
	"commandRegex": setCommand,
	"commandPrefix": func(r *Rule, v any) error {
		var all []string
		if err := texts(v, &all); err != nil {
			return err
		}
		for _, s := range all {
			words, ok := split(s)
			if !ok || len(words) == 0 {
				return fmt.Errorf("%q is not a command prefix", s)
			}
			r.Prefixes = append(r.Prefixes, words)
		}
		return nil
	},
	"decision": func(r *Rule, v any) error {
		kinds := map[string]Kind{"allow": Allow, "deny": Deny, "ask_user": Ask, "ask": Ask}
		s, _ := v.(string)
		k, ok := kinds[s]
		if !ok {
			return fmt.Errorf("must be allow, deny or ask_user, not %v", v)
		}
		r.Decision = k
		return nil
	},
	"priority": func(r *Rule, v any) error {
		n, ok := v.(int64)
		if f, isFloat := v.(float64); isFloat {
			n, ok = int64(f), f == math.Trunc(f)
		}
		if !ok || n < 0 || n > 999 {
			return fmt.Errorf("must be an integer from 0 to 999, not %v", v)
		}
		r.Priority = int(n)
		return nil
	},
	"modes": func(r *Rule, v any) error {
		var all []string
		if err := texts(v, &all); err != nil {
			return err
		}
		known := map[string]Mode{"default": Default, "autoEdit": AutoEdit, "auto_edit": AutoEdit, "plan": Plan, "yolo": Yolo}
		for _, s := range all {
			mode, ok := known[s]
			if !ok {
				return fmt.Errorf("unknown mode %q: want default, auto_edit, plan or yolo", s)
			}
			r.Modes = append(r.Modes, mode)
		}
		return nil
	},
	"interactive": func(r *Rule, v any) error {
		b := false
		r.Interactive = &b
		return truth(v, &b)
	},
	"allowRedirection": func(r *Rule, v any) error { return truth(v, &r.Redirects) },
	"toolAnnotations": func(r *Rule, v any) error {
		m, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("must be a table, not %v", v)
		}
		r.Annotations = m
		return nil
	},
}

// ownFields are allowed only in files that emendo writes itself.
var ownFields = map[string]func(*Rule, any) error{
	"effect":     func(r *Rule, v any) error { return texts(v, &r.Effects) },
	"sandbox":    func(r *Rule, v any) error { return truth(v, &r.Sandbox) },
	"outside":    func(r *Rule, v any) error { return truth(v, &r.Outside) },
	"dir":        func(r *Rule, v any) error { return text(v, &r.Dir) },
	"definition": func(r *Rule, v any) error { return text(v, &r.Definition) },
	"marked":     func(r *Rule, v any) error { return truth(v, &r.Marked) },
	"exactly":    func(r *Rule, v any) error { return truth(v, &r.Ends) },
	"added": func(r *Rule, v any) error {
		t, ok := v.(time.Time)
		if !ok {
			return fmt.Errorf("must be a date with a time and an offset, not %v", v)
		}
		r.Added = t
		return nil
	},
}

func setArgs(r *Rule, v any) (err error) {
	var s string
	if err := text(v, &s); err != nil {
		return err
	}
	if r.Args, err = compile(s); err == nil {
		r.opens, r.opened = openingOfArguments(r.Args)
	}
	return err
}

func setCommand(r *Rule, v any) (err error) {
	var s string
	if err := text(v, &s); err != nil {
		return err
	}
	if r.Command, err = compileCommand(s); err == nil {
		r.opens, r.opened = openingOf(s), true
	}
	return err
}

// shown parses a text that is displayed and not a condition: it may be empty,
// but is limited in length.
func shown(v any, most int, into *string) error {
	s, ok := v.(string)
	switch {
	case !ok:
		return fmt.Errorf("must be a string, not %v", v)
	case len(s) > most:
		return fmt.Errorf("has %d bytes; the limit is %d", len(s), most)
	}
	*into = s
	return nil
}

func text(v any, into *string) error {
	s, ok := v.(string)
	if !ok || s == "" {
		return fmt.Errorf("must be a string, not %v", v)
	}
	*into = s
	return nil
}

func texts(v any, into *[]string) error {
	l, ok := v.([]any)
	if !ok {
		l = []any{v}
	}
	for _, v := range l {
		var s string
		if err := text(v, &s); err != nil {
			return err
		}
		*into = append(*into, s)
	}
	if len(*into) == 0 {
		return fmt.Errorf("must not be empty")
	}
	return nil
}

func truth(v any, into *bool) error {
	b, ok := v.(bool)
	if !ok {
		return fmt.Errorf("must be true or false, not %v", v)
	}
	*into = b
	return nil
}

// parseRule converts a table to a rule.
func (r *reader) parseRule(i int, t table) (*Rule, *FileError) {
	rule := &Rule{Tier: r.tier, File: r.file, Line: t.line, Decision: -1}
	name := fmt.Sprintf("rule %d", i+1)
	if s, ok := t.fields["name"].(string); ok && s != "" && len(s) <= maxName {
		name = tools.Shown(s)
	}
	bad := func(field, format string, a ...any) (*Rule, *FileError) {
		return nil, &FileError{r.file, t.lineOf(field), name, fmt.Sprintf(format, a...)}
	}
	for _, given := range slices.Sorted(maps.Keys(t.fields)) {
		field := given
		if now, ok := oldFields[given]; ok {
			field = now
			r.warnings = append(r.warnings, Warning{r.file, t.lineOf(given), name, fmt.Sprintf("%s is the old name of %s: rename it", given, now)})
			if _, twice := t.fields[now]; twice {
				return bad(given, "%s and %s are the same: remove one of them", given, now)
			}
		}
		set := ruleFields[field]
		if set == nil && (r.own || r.answers) {
			set = ownFields[field]
		}
		if set == nil {
			near, _ := spelling.Nearest(field, slices.Sorted(maps.Keys(ruleFields)))
			return bad(given, "unknown field %q; did you mean %q?", given, near)
		}
		if err := set(rule, t.fields[given]); err != nil {
			return bad(given, "%s: %v", given, err)
		}
	}
	if r.file == "" {
		rule.Line = 0
	}
	if field, what := invalid(rule); what != "" {
		return bad(field, "%s", what)
	}
	rule.Answer = r.answers && rule.Decision == Allow
	if !r.own && rule.Server == "" {
		r.currentNames(rule, t, name)
	}
	r.warnOfParts(rule, t, name)
	return rule, nil
}

// invalid returns what is wrong with a rule whose fields are each valid.
func invalid(r *Rule) (field, what string) {
	double := slices.ContainsFunc(r.Tools, func(s string) bool { return strings.Contains(s, "__") })
	ways := 0
	for _, given := range []bool{len(r.Prefixes) > 0, r.Command != nil, r.Args != nil} {
		if given {
			ways++
		}
	}
	onlyShell := len(r.Tools) == 1 && r.Tools[0] == shellTool && r.Server == ""
	switch {
	case r.Decision < 0:
		return "decision", "missing decision: allow, deny or ask_user"
	case len(r.Tools) == 0 && r.Server == "":
		return "toolName", "missing toolName: name a tool, or write \"*\" for all of them"
	case double && r.Server == "":
		return "toolName", "tools of MCP servers are not named with \"__\": write mcpName and toolName"
	case r.aboutCommands() && !onlyShell:
		return "toolName", "commandPrefix and commandRegex need toolName = \"" + shellTool + "\" alone"
	case ways > 1:
		return "argsPattern", "commandPrefix, commandRegex and argsPattern exclude each other: write two rules"
	case r.Dir != "" && !filepath.IsAbs(r.Dir):
		return "dir", "dir must be an absolute path"
	}
	return "", ""
}

// shellTool is the tool that runs commands.
const shellTool = shell.Name

// geminiTools are tools of Gemini CLI that emendo does not have.
var geminiTools = []string{"search_file_content", "update_topic", "get_internal_docs", "codebase_investigator", "cli_help", "generalist"}

// currentNames replaces former names of tools in a rule, and warns of unknown tools whose
// name is close to a known one.
func (r *reader) currentNames(rule *Rule, t table, name string) {
	known := slices.Concat(builtin.Names(), geminiTools)
	for i, tool := range rule.Tools {
		if now, former := builtin.FormerNames()[tool]; former {
			rule.Tools[i] = now
			continue
		}
		if strings.Contains(tool, "*") || strings.HasPrefix(tool, "mcp_") || strings.HasPrefix(tool, "discovered_tool_") || slices.Contains(known, tool) {
			continue
		}
		if near, letters := spelling.Nearest(tool, known); letters <= 3 {
			r.warnings = append(r.warnings, Warning{r.file, t.lineOf("toolName"), name, fmt.Sprintf("unknown tool %q; did you mean %q?", tool, near)})
		}
	}
}

// warnOfParts warns of prefixes that span several commands, which never match.
func (r *reader) warnOfParts(rule *Rule, t table, name string) {
	for _, prefix := range rule.Prefixes {
		if rule.Decision == Allow && slices.ContainsFunc(prefix, func(w string) bool { return w != "" && strings.Trim(w, operators) == "" }) {
			r.warnings = append(r.warnings, Warning{r.file, t.lineOf("commandPrefix"), name, fmt.Sprintf("commandPrefix %q allows nothing: each part of a command is decided on its own, so write a rule for each part", strings.Join(prefix, " "))})
		}
	}
}

// checker parses a table that adds a check of arguments. The check that keeps
// paths inside the workspace is always on; the others are programs, which
// emendo does not start.
func (r *reader) checker(i int, t table) *FileError {
	name := fmt.Sprintf("safety_checker %d", i+1)
	c, ok := t.fields["checker"].(map[string]any)
	if !ok {
		return &FileError{r.file, t.line, name, "missing checker: a table with type and name"}
	}
	if c["type"] != "in-process" || c["name"] != "allowed-path" {
		return &FileError{r.file, t.lineOf("checker"), name, fmt.Sprintf("unknown checker %v of type %v: only the in-process allowed-path is supported, and it is always on", c["name"], c["type"])}
	}
	return nil
}
