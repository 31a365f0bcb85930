package policy

import (
	"strings"
	"testing"
)

func TestMistakesInFilesNameTheirPlace(t *testing.T) {
	rule := func(fields string) string { return "[[rule]]\ntoolName = \"run_shell_command\"\n" + fields }
	for _, c := range []struct{ name, text, want string }{
		{"no TOML", "a = [", "f.toml:1: no valid TOML"},
		{"another table", "[[rules]]\n", `f.toml:1: there is no "rules" in policy files`},
		{"rules that are no list", "[rule]\n", "f.toml:1: rule must be a list of tables"},
		{"no decision", "\n\n" + rule(""), "f.toml:3: rule 1: there is no decision"},
		{"no tool", "[[rule]]\ndecision = \"deny\"\n", "f.toml:1: rule 1: there is no toolName"},
		{"an empty list of tools", "[[rule]]\ndecision = \"deny\"\ntoolName = []\n", "f.toml:3: rule 1: toolName: must not be empty"},
		{"a field that there is not", rule("decision = \"deny\"\n# a remark\ncommandPrefx = \"ls\"\n"), `f.toml:5: rule 1: there is no field "commandPrefx"; did you mean "commandPrefix"?`},
		{"a field of emendo's own", rule("decision = \"deny\"\nreadOnly = true\n"), `f.toml:4: rule 1: there is no field "readOnly"`},
		{"the second rule", rule("decision = \"deny\"\n") + rule("decision = \"deny\"\npriority = 1000\n"), "f.toml:7: rule 2: priority: must be a whole number from 0 to 999"},
		{"a rule with a name", rule("name = \"mine\"\ndecision = \"maybe\"\n"), "f.toml:4: mine: decision: must be allow, deny or ask_user, not maybe"},
		{"a mode", rule("decision = \"deny\"\nmodes = [\"default\", \"fast\"]\n"), `f.toml:4: rule 1: modes: there is no mode "fast"`},
		{"a truth", rule("decision = \"deny\"\ninteractive = \"yes\"\n"), "f.toml:4: rule 1: interactive: must be true or false"},
		{"an expression", rule("decision = \"deny\"\ncommandRegex = \"(\"\n"), "f.toml:4: rule 1: commandRegex: the expression"},
		{"an expression that repeats twice", rule("decision = \"deny\"\ncommandRegex = \"(a+)+\"\n"), "f.toml:4: rule 1: commandRegex: the expression \"(a+)+\" repeats"},
		{"a long expression", rule("decision = \"deny\"\nargsPattern = \"" + strings.Repeat("a", 2049) + "\"\n"), "f.toml:4: rule 1: argsPattern: the expression has 2049 bytes"},
		{"two conditions", rule("decision = \"deny\"\nargsPattern = \"a\"\ncommandRegex = \"a\"\n"), "f.toml:4: rule 1: commandPrefix, commandRegex and argsPattern exclude each other"},
		{"a prefix for another tool", "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\ncommandPrefix = \"a\"\n", "f.toml:2: rule 1: commandPrefix and commandRegex go with"},
		{"a prefix for two tools", "[[rule]]\ntoolName = [\"run_shell_command\", \"glob\"]\ndecision = \"deny\"\ncommandPrefix = \"a\"\n", "f.toml:2: rule 1: commandPrefix and commandRegex go with"},
		{"no words in a prefix", rule("decision = \"deny\"\ncommandPrefix = \" \"\n"), "f.toml:4: rule 1: commandPrefix: \" \" is no beginning of a command"},
		{"an open quote in a prefix", rule("decision = \"deny\"\ncommandPrefix = \"a 'b\"\n"), "is no beginning of a command"},
		{"two names for one field", rule("decision = \"deny\"\ncommand_prefix = \"a\"\ncommandPrefix = \"b\"\n"), "f.toml:4: rule 1: command_prefix and commandPrefix are the same"},
		{"the old way to name servers", "[[rule]]\ntoolName = \"db__query\"\ndecision = \"deny\"\n", `f.toml:2: rule 1: tools of MCP servers are not named with "__"`},
		{"a checker that is a program", "[[safety_checker]]\ntoolName = \"*\"\n[safety_checker.checker]\ntype = \"external\"\nname = \"x\"\n", "f.toml:3: safety_checker 1: the checker x of type external is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := parse("f.toml", []byte(c.text), OfUser)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestWhatGeminiCLITakesIsTaken(t *testing.T) {
	rules, warnings, err := parse("f.toml", []byte(`
		rule = [
			{ toolName = "glob", decision = "ask", modes = ["autoEdit"] },
			{ mcpName = "db", toolName = ["query", "list_*"], decision = "allow", priority = 5, toolAnnotations = { readOnlyHint = true } },
		]
		[[safety_checker]]
		toolName = "write_file"
		checker = { type = "in-process", name = "allowed-path", required_context = ["environment"] }
	`), OfUser)
	if err != nil || len(warnings) > 0 || len(rules) != 2 {
		t.Fatalf("%v, %v, %d rules", err, warnings, len(rules))
	}
	if rules[1].String() != "f.toml:2" {
		t.Errorf("the second rule is called %s", rules[1])
	}
	rules, warnings, err = parse("f.toml", []byte("[[rule]]\ntoolName = \"run_shell_command\"\ncommand_prefix = \"git 'a b'\"\ndeny_message = \"No.\"\ndecision = \"deny\"\n[[rule]]\ntoolName = \"raed_file\"\ndecision = \"deny\"\n"), OfUser)
	if err != nil || len(rules) != 2 || len(rules[0].Prefixes) != 1 || strings.Join(rules[0].Prefixes[0], "|") != "git|a b" || rules[0].Message != "No." {
		t.Errorf("%+v, %v", rules, err)
	}
	var said []string
	for _, w := range warnings {
		said = append(said, w.String())
	}
	want := []string{"f.toml:3: rule 1: command_prefix is the old name of commandPrefix", "f.toml:4: rule 1: deny_message is the old name of denyMessage", `f.toml:7: rule 2: there is no tool "raed_file"; did you mean "read_file"?`}
	for i, w := range want {
		if len(said) != len(want) || !strings.HasPrefix(said[i], w) {
			t.Fatalf("warned %q, want %q", said, want)
		}
	}
}
