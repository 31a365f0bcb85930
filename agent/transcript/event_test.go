package transcript

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/redact"
)

func TestKindsHasEveryEvent(t *testing.T) {
	var declared, listed []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "isEvent" {
				declared = append(declared, fn.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		listed = append(listed, reflect.TypeOf(k.event).Name())
	}
	slices.Sort(declared)
	slices.Sort(listed)
	if diff := cmp.Diff(listed, declared); diff != "" {
		t.Errorf("the events of kinds (-), and those with isEvent (+):\n%s", diff)
	}
	if len(kindNamed) != len(kinds) {
		t.Error("two kinds have the same name")
	}
}

// Every text of an event is redacted, or here with the reason that it is not. The
// texts of events that emendo or the user writes are not redacted, the log does that.
func TestRedactedTexts(t *testing.T) {
	const secret = "plain-words-key"
	stays := map[string]string{
		"user":        "the user writes it",
		"call":        "calls are recorded as the model made them, so that they can be repeated",
		"plan":        "the model's list, whose texts are short",
		"commands":    "files of the user",
		"mode":        "a name",
		"model":       "a name",
		"info":        "made from the user's prompt",
		"compaction":  "made by emendo",
		"retract":     "an ID",
		"finished":    "names",
		"started":     "paths of the user",
		"withdrawn":   "an ID",
		"shortened":   "made of texts that are redacted",
		"excluded":    "paths of the user",
		"vouched":     "names of authors",
		"folders":     "paths of the user",
		"proposals":   "file contents",
		"decisions":   "file contents",
		"summarised":  "made of texts that are redacted",
		"summary":     "made of texts that are redacted",
		"rewound":     "an ID",
		"redone":      "an ID",
		"dismissed":   "an ID",
		"queued":      "the user writes it",
		"unqueued":    "an ID",
		"commented":   "the user writes it, about file contents",
		"uncommented": "an ID",

		// fields of events that are redacted
		"text.MessageID": "an ID", "text.Signature": "covers the text", "text.Issuer": "a name",
		"thought.MessageID": "an ID", "thought.Subject": "cut from the thought's text by emendo",
		"reasoning.MessageID": "an ID", "reasoning.Issuer": "a name",
		"call_state.CallID": "an ID", "call_state.State": "a name", "call_state.Locations.Path": "paths of the user", "call_state.Terminal": "an ID",
		"call_state.ChangeSetID": "an ID", "call_state.Diffs.Path": "paths of the user", "call_state.Diffs.Old": "file contents", "call_state.Diffs.New": "file contents",
		"call_state.Blobs.MIME": "a name", "call_state.Blobs.Data": "pictures", "call_state.ErrorType": "a name", "call_state.Rule": "the user's rule",
		"call_state.Signal": "a name", "call_state.Told": "states", "call_state.Plan": "paths of the user", "call_state.Origin": "a name",
		"call_state.From.Origin": "a name", "call_state.From.Name": "a name", "call_state.Server": "a name", "call_state.Leads.From": "compared with a later address", "call_state.Leads.To": "compared with a later address",
		"notice.Severity": "a name", "notice.Code": "a name", "notice.Type": "a name", "notice.Hook.Names": "names", "notice.Hook.Event": "a name", "notice.Hook.Outcome": "a name",
		"finding.ID": "an ID", "finding.Path": "paths of the user", "finding.Severity": "a name",
		"turn_ended.StopReason": "a name", "turn_ended.Files.URI": "paths of the user", "turn_ended.Files.ChangeSetID": "an ID", "turn_ended.Unasked.CallID": "an ID",
		"given.MessageID": "an ID", "given.Kind": "a name", "given.Source": "paths of the user", "given.MIME": "a name", "given.Data": "pictures", "given.Origin": "a name",
		"given.From.Origin": "a name", "given.From.Name": "a name", "given.Server": "a name", "given.Context": "compared, never sent", "given.Told": "states",
	}
	used := map[string]bool{}
	for _, k := range kinds {
		v := reflect.New(reflect.TypeOf(k.event)).Elem()
		fill(v, secret)
		after := Redacted(v.Interface().(Event), redact.New(redact.Secret{Name: "KEY", Value: secret}))
		for _, path := range holding(reflect.ValueOf(after), k.name, secret) {
			switch {
			case stays[k.name] != "":
				used[k.name] = true
			case stays[path] != "":
				used[path] = true
			default:
				t.Errorf("%s: the secret stays in it: redact it, or say here why not", path)
			}
		}
	}
	for path := range stays {
		if !used[path] {
			t.Errorf("%s: no secret stays in it", path)
		}
	}
}

// fill sets all texts in v to text.
func fill(v reflect.Value, text string) {
	switch v.Kind() { //nolint:exhaustive // the others have no texts
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`"` + text + `"`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Map:
		m := reflect.New(v.Type().Elem()).Elem()
		fill(m, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k").Convert(v.Type().Key()), m)
	}
}

// holding returns the paths of the texts in v that contain text.
func holding(v reflect.Value, path, text string) (paths []string) {
	switch v.Kind() { //nolint:exhaustive // the others have no texts
	case reflect.String:
		if strings.Contains(v.String(), text) {
			return []string{path}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				name := path
				if !f.Anonymous {
					name += "." + f.Name
				}
				paths = append(paths, holding(v.Field(i), name, text)...)
			}
		}
	case reflect.Pointer:
		return holding(v.Elem(), path, text)
	case reflect.Slice:
		if b, ok := v.Interface().(json.RawMessage); ok {
			return holding(reflect.ValueOf(string(b)), path, text)
		} else if b, ok := v.Interface().([]byte); ok {
			return holding(reflect.ValueOf(string(b)), path, text)
		}
		for i := range v.Len() {
			paths = append(paths, holding(v.Index(i), path, text)...)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			paths = append(paths, holding(v.MapIndex(k), path, text)...)
		}
	}
	return paths
}
