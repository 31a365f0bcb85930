package settings

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/settings.md from the declarations")

const docsFile = "../../docs/settings.md"

// docsHead says what holds for all settings; the declarations say the rest.
const docsHead = `# Settings

<!-- Written by: go test ./internal/settings -update -->

Settings are JSON with comments and trailing commas. Keys nest, or are written with dots: ` + "`{\"model\": {\"name\": \"x\"}}` and `{\"model.name\": \"x\"}`" + ` are
the same. A null counts as unset. The user's file is ` + "`settings.json`" + ` in emendo's configuration folder (` + "`$XDG_CONFIG_HOME/emendo`" + `, which is
` + "`~/.config/emendo`" + `, on Linux; ` + "`~/Library/Application Support/emendo`" + ` on macOS; ` + "`%AppData%\\emendo`" + ` on Windows; ` + "`$EMENDO_HOME/config`" + ` where
` + "`EMENDO_HOME`" + ` is set).

Stronger layers replace weaker ones, setting by setting; objects are merged, name by name. From the weakest to the strongest:

1. the defaults below
2. ` + "`/etc/emendo/system-defaults.json`" + `
3. the user's ` + "`settings.json`" + `
4. the project's ` + "`.gemini/settings.json`" + `, then ` + "`.emendo/settings.json`" + `, when the folder is trusted
5. what the editor passes as ` + "`initializationOptions.settings`" + `
6. what is configured under ` + "`emendo`" + ` in the editor, when the folder is trusted
7. ` + "`/etc/emendo/settings.json`" + `
8. the environment: ` + "`EMENDO_MODEL`, else `GEMINI_MODEL`, is `model.name`" + `
9. the command line

The first folder of the workspace is the project. A project does not set what decides over authority, endpoints or credentials: settings with the scope ` + "*user*" + `, and everything
below ` + "`security`, `telemetry` and `tools.sandbox`" + `, are ignored there with a warning. The same holds of what is configured in the editor, because a repository can bring that along; what
` + "`initializationOptions`" + ` pass is the user's own.

Bad JSON, a wrong type or a value out of range is an error that names file, line and column; ` + "`emendo run`" + ` then exits with status 52, and the language server goes on without that
file and says so. An unknown setting is a warning that names the nearest known one. In ` + "`.gemini/settings.json`" + `, which is another program's, and in what is configured in the editor,
unknown settings are passed over and mistakes are warnings. Names that Gemini CLI's settings had in older versions are understood.

**Changes hold from the next prompt on**, without a restart: those of files, of the folder's trust, and of the editor's configuration. A mistake that is made meanwhile is told
once, and what the file said before it holds until it is mended. What begins with a session, its model and its mode, is not changed under it.

**Variables of the environment** may stand in strings: ` + "`$NAME`, `${NAME}`, and `${NAME:-otherwise}`" + ` for when it is unset or empty. One that is unset is left as written, and so is one
that looks like a secret (` + "`KEY`, `TOKEN`, `SECRET`, `PASS`, `CREDENTIAL`, `AUTH`" + ` in its name), for no setting takes a secret. In a project's files all are left as written, and so are those in the commands of hooks, where the shell puts them in.

**In an editor** that knows JSON schemas, ` + "[settings.schema.json](settings.schema.json)" + ` completes and checks settings files; ` + "`\"$schema\"`" + ` in a file says so.

`

// page returns docs/settings.md as the declarations have it.
func page() string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString("| setting | what it is | value | default | scope |\n| --- | --- | --- | --- | --- |\n")
	for _, d := range declared {
		initial := fmt.Sprintf("`%v`", d.initial)
		switch v := d.initial.(type) {
		case string:
			initial = fmt.Sprintf("`%q`", v)
		case []string:
			initial = "`[]`"
		case nil:
			initial = "`{}`"
		}
		kind := d.kind()
		if _, ok := d.field(new(Settings)).(*time.Duration); ok {
			kind += ", seconds"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.key, d.doc, kind, initial, d.scope)
	}
	return b.String()
}

func TestDocsAreInStep(t *testing.T) {
	want := page()
	if *update {
		if err := os.MkdirAll(filepath.Dir(docsFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/settings.md is not what the declarations say: run go test ./internal/settings -update")
	}
}

// Every field of Settings has one declaration, and every declaration is sound.
func TestDeclarations(t *testing.T) {
	var s Settings
	claimed := map[any]string{}
	keys := map[string]bool{}
	for _, d := range declared {
		field := d.field(&s)
		if other := claimed[field]; other != "" {
			t.Errorf("%s and %s are the same field", d.key, other)
		}
		claimed[field] = d.key
		if keys[d.key] || isGroup(d.key) {
			t.Errorf("%s is declared twice, or is a group as well", d.key)
		}
		keys[d.key] = true
		if d.doc == "" || !strings.HasSuffix(d.doc, ".") {
			t.Errorf("%s has no doc of whole sentences", d.key)
		}
		if x, ok := d.initial.(float64); ok && (x < d.least || x > d.most) {
			t.Errorf("%s has a default out of its own range", d.key)
		}
		if (d.initial == nil) != (d.object != "") {
			t.Errorf("%s must say what object it is, and have no other default", d.key)
		}
		if n, ok := d.initial.(int); ok && (float64(n) < d.least || float64(n) > d.most) {
			t.Errorf("%s has a default out of its own range", d.key)
		}
	}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		if claimed[v.Addr().Interface()] != "" {
			return
		}
		if v.Kind() != reflect.Struct {
			t.Errorf("no setting is declared for the field %s", path)
			return
		}
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	}
	walk(reflect.ValueOf(&s).Elem(), "Settings")
}
