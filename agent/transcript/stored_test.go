package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// goldenLogs returns the logs that must be readable forever.
func goldenLogs(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../testdata/golden/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden logs: %v", err)
	}
	logs := map[string][]byte{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		logs[filepath.Base(p)] = b
	}
	return logs
}

// canonical returns a line of a log as lower-case paths and their values, without zero
// values: everything that a record must preserve. A diff has two stored forms, so diffs
// are compared as decoded.
func canonical(t *testing.T, line []byte) map[string]string {
	t.Helper()
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, w := range v {
				p := path + "." + strings.ToLower(k)
				if p == ".event.diffs" {
					b, err := json.Marshal(w)
					var ds []Diff
					if err = errors.Join(err, json.Unmarshal(b, &ds)); err != nil {
						t.Fatal(err)
					}
					for _, d := range ds {
						out[p] += fmt.Sprintf("%s %t %s;", d.Path, d.Old != nil, d.New)
					}
					continue
				}
				walk(p, w)
			}
		case []any:
			for i, w := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), w)
			}
		case nil:
		default:
			if s := fmt.Sprint(v); s != "" && s != "0" && s != "false" {
				out[path] = s
			}
		}
	}
	walk("", v)
	delete(out, ".event.format")
	return out
}

// Every kind of event that a program ever stored decodes, and encoding it again
// loses nothing.
func TestGoldenEventsRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	for name, log := range goldenLogs(t) {
		for line := range bytes.Lines(log) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			if bytes.HasPrefix(line, []byte(`{"+"`)) {
				continue // continues another record
			}
			r, err := parseRecord(line)
			if err != nil || r.Event == nil {
				t.Errorf("%s: %s: %v", name, line, err)
				continue
			}
			seen[KindOf(r.Event)] = true
			again, err := r.line()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(canonical(t, again), canonical(t, line)); diff != "" {
				t.Errorf("%s: encoded again (-got +want):\n%s", name, diff)
			}
			if r2, err := parseRecord(again); err != nil || cmp.Diff(r2, r) != "" {
				t.Errorf("%s: read again: %v\n%s", name, err, cmp.Diff(r2, r))
			}
		}
	}
	for _, k := range kinds {
		if !seen[k.name] && k.name != "commands" && k.name != "vouched" { // those have no golden record
			t.Errorf("no golden record of kind %q", k.name)
		}
	}
}

// The stored form of values of other packages. A change here is a change of the format,
// and must not result from renaming a Go field.
func TestStoredForm(t *testing.T) {
	start := ide.Position{Line: 1, Character: 2}
	span := ide.Range{Start: start, End: ide.Position{Line: 3, Character: 4}}
	for _, c := range []struct {
		name  string
		event Event
		want  string
		old   string // the same, in format 1
	}{
		{
			name: "started", event: Started{SessionID: "s", Cwd: "/w", Roots: []string{"/w"}, Model: "m", Mode: "plan"},
			want: `{"format":2,"sessionId":"s","cwd":"/w","roots":["/w"],"createdAt":"0001-01-01T00:00:00Z","model":"m","mode":"plan"}`,
			old:  `{"sessionId":"s","cwd":"/w","roots":["/w"],"createdAt":"0001-01-01T00:00:00Z","model":"m","mode":"plan"}`,
		},
		{
			name:  "usage",
			event: UsageUpdated{Used: 1, Size: 2, Usage: Usage{Usage: model.Usage{Input: 3, Output: 4, Cached: 5, Thought: 6, Tool: 7, Total: 8}, ContextLimit: 9}},
			want:  `{"used":1,"size":2,"usage":{"input":3,"output":4,"cached":5,"thought":6,"tool":7,"total":8,"contextLimit":9}}`,
			old:   `{"used":1,"size":2,"usage":{"Input":3,"Output":4,"Cached":5,"Thought":6,"Tool":7,"Total":8,"ContextLimit":9}}`,
		},
		{
			name: "locations and blobs of a call",
			event: ToolUpdate{
				CallID: "c", State: Success, Output: "<o>",
				Locations: []tools.Location{{Path: "/a", Line: 7}}, Blobs: []tools.Blob{{MIME: "image/png", Data: []byte{0, 1}}},
			},
			want: `{"callId":"c","state":"success","locations":[{"path":"/a","line":7}],"output":"<o>","blobs":[{"mime":"image/png","data":"AAE="}]}`,
			old:  `{"callId":"c","state":"success","output":"<o>","locations":[{"Path":"/a","Line":7}],"blobs":[{"MIME":"image/png","Data":"AAE="}]}`,
		},
		{
			name: "a change set",
			event: Proposals{ChangeSets: []ledger.ChangeSet{{
				ID: "i", SessionID: "s", TurnID: "t", CallID: "c", Title: "T", State: ledger.Pending,
				Files: []ledger.FileChange{{
					Path: "/a", URI: "file:///a", Spelling: "file:///A", Op: ledger.Modify, NewPath: "/b", Open: true, BaseVersion: 2, Diff: "<d>",
					Verification: ledger.Verification{State: ledger.Problems, Introduced: 2, Resolved: 1, Problems: []ledger.Problem{{Range: span, Message: "m"}}},
					Hunks: []ledger.Hunk{{
						ID: "i.1", State: ledger.Conflicted, A: 1, B: 2, Range: span, OldText: "o", NewText: "n", Edited: true, Reason: "r", Formatted: true,
						Nearest: &ledger.Nearest{Range: span, Text: "x"},
					}},
				}},
			}}},
			want: `{"changeSets":[{"id":"i","sessionId":"s","turnId":"t","callId":"c","title":"T","state":"pending","files":[{"path":"/a","uri":"file:///a","spelling":"file:///A","op":"modify","newPath":"/b","open":true,"baseVersion":2,"diff":"<d>",` +
				`"verification":{"state":"problems","introduced":2,"resolved":1,"problems":[{"range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"message":"m"}]},` +
				`"hunks":[{"id":"i.1","state":"conflicted","a":1,"b":2,"range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"oldText":"o","newText":"n","edited":true,"formatted":true,"reason":"r","nearest":{"range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"text":"x"}}]}]}]}`,
			old: `{"changeSets":[{"ID":"i","SessionID":"s","TurnID":"t","CallID":"c","Title":"T","State":"pending","Files":[{"Path":"/a","URI":"file:///a","Spelling":"file:///A","Op":"modify","NewPath":"/b","Open":true,"BaseVersion":2,"Diff":"<d>",` +
				`"Hunks":[{"ID":"i.1","State":"conflicted","A":1,"B":2,"Range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"OldText":"o","NewText":"n","Edited":true,"Reason":"r","Nearest":{"Range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"Text":"x"},"Formatted":true}],` +
				`"Verification":{"State":"problems","Introduced":2,"Resolved":1,"Problems":[{"Range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"Message":"m"}]}}]}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := unescaped(c.event)
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
			for _, stored := range []string{c.want, c.old} {
				e, err := kindOf(c.event).decode(json.RawMessage(stored))
				if err != nil || cmp.Diff(e, c.event) != "" {
					t.Errorf("%s: %v\n%s", stored, err, cmp.Diff(e, c.event))
				}
			}
		})
	}
}

// The version of a change set and of a decision count within one process.
func TestVersionsAreNotStored(t *testing.T) {
	p := Proposals{ChangeSets: []ledger.ChangeSet{{ID: "i", Version: 7, Files: []ledger.FileChange{{Hunks: []ledger.Hunk{{ID: "h", Decided: 7, Err: errors.New("full")}}}}}}}
	b, err := unescaped(p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := kindNamed["proposals"].decode(b)
	if err != nil {
		t.Fatal(err)
	}
	cs := e.(Proposals).ChangeSets[0]
	if h := cs.Files[0].Hunks[0]; cs.Version != 0 || h.Decided != 0 || h.Err != nil {
		t.Errorf("read %+v", cs)
	}
}

func TestUnreadableChangeSetsAreAnError(t *testing.T) {
	r, err := parseRecord([]byte(`{"at":"2000-01-01T00:00:00Z","kind":"proposals","event":{"changeSets":[{"files":7}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := r.Event.(Proposals); !ok || p.Err == nil {
		t.Errorf("read %+v", r.Event)
	}
	if line, err := r.line(); err == nil {
		t.Errorf("written as %s", line)
	}
}

// storeOf returns a store with one log, and the errors of logs that listings skip.
func storeOf(t testing.TB, log []byte) (st *Store, path string, unread *[]error) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "0123456789abcdef")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(folder, "20000101T000000Z-id-1.jsonl")
	if err := os.WriteFile(path, log, 0o600); err != nil {
		t.Fatal(err)
	}
	unread = new([]error)
	st = NewStore(dir)
	st.Unread = func(err error) { *unread = append(*unread, err) }
	return st, path, unread
}

func TestWhatKilledProcessesLeftIsDropped(t *testing.T) {
	st, path, _ := storeOf(t, nil)
	folder := filepath.Dir(path)
	for name, age := range map[string]time.Duration{".part-1.jsonl": 48 * time.Hour, ".part-2.jsonl": time.Hour} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.DropParts(time.Now().Add(-24 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if want := []string{filepath.Join(folder, ".part-2.jsonl"), path}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %q, %v; want %q", left, err, want)
	}
}

func TestLogOfALaterFormatIsRefused(t *testing.T) {
	const rest = `,"sessionId":"id-1","cwd":"/w","roots":["/w"],"createdAt":"2000-01-01T00:00:00Z","model":"m","mode":"default"}}
{"seq":1,"turn":"t","at":"2000-01-01T00:00:00Z","kind":"user","event":{"messageId":"m","block":{"type":"text","text":"Hello."}}}
`
	for _, c := range []struct {
		format string
		reads  bool
	}{
		{format: "1", reads: true},
		{format: "2", reads: true},
		{format: "3"},
		{format: "-1"},
		{format: `"2.1"`},
		{format: `{"major":3}`},
	} {
		t.Run(c.format, func(t *testing.T) {
			log := []byte(`{"at":"2000-01-01T00:00:00Z","kind":"started","event":{"format":` + c.format + rest)
			st, path, unread := storeOf(t, log)
			infos, _, err := st.List(Listing{})
			if err != nil {
				t.Fatal(err)
			}
			_, _, read := st.Read("id-1")
			_, lock := NewLog(path, nil).Lock()
			if c.reads {
				if len(infos) != 1 || len(*unread) > 0 || read != nil || lock != nil {
					t.Errorf("listed %v, skipped %v, read %v, locked %v", infos, *unread, read, lock)
				}
				return
			}
			if len(infos) != 0 || len(*unread) != 1 {
				t.Fatalf("listed %v, skipped %v", infos, *unread)
			}
			for _, err := range []error{(*unread)[0], read, lock} {
				if !errors.Is(err, ErrNewerFormat) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "update emendo") {
					t.Errorf("got %v", err)
				}
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, log) {
				t.Errorf("the log is now %q, %v", after, err)
			}
		})
	}
}

// differ describes how two records differ. The time of a chunk is that of the
// record that it continues.
func differ(a, b Record) string {
	for _, r := range []*Record{&a, &b} {
		switch r.Event.(type) { //nolint:gochecksumtype // the other events have no chunks
		case Text, Thought:
			r.At = time.Time{}
		}
	}
	compacted := func(m json.RawMessage) string {
		var b bytes.Buffer
		if len(m) == 0 {
			return "null"
		}
		if err := json.Compact(&b, m); err != nil {
			return err.Error()
		}
		return b.String()
	}
	raw := cmp.FilterValues(func(a, b json.RawMessage) bool { return len(a)+len(b) > 0 }, cmp.Transformer("compact", compacted))
	return cmp.Diff(a, b, raw, cmpopts.EquateEmpty())
}

func seeds(f *testing.F) {
	for _, log := range goldenLogs(f) {
		f.Add(log)
		for line := range bytes.Lines(log) {
			f.Add(line)
		}
	}
	for _, s := range []string{
		"", "\n", "{}\n", "null\n[]\n", "{\"+\":\"more\"}\n",
		`{"kind":"started","event":{"format":3}}` + "\n",
		`{"kind":"proposals","event":{"changeSets":[{"files":[{"hunks":[{}]}]},null]}}` + "\n",
		`{"seq":1,"kind":"text","event":{"messageId":"m","text":"a"}}` + "\n" + `{"+":"b"}` + "\n" + `{"+":"tor`,
	} {
		f.Add([]byte(s))
	}
}

// FuzzReadRecords reads arbitrary bytes as a log. Every complete record is read, and
// survives a round trip.
func FuzzReadRecords(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, log []byte) {
		rs, end, err := readRecords(bytes.NewReader(log), 0, new(Record), func(Record, span) {})
		if err != nil {
			if !errors.Is(err, ErrNewerFormat) || len(rs) > 0 {
				t.Fatalf("%d records, %v", len(rs), err)
			}
			return
		}
		if want := int64(bytes.LastIndexByte(log, '\n') + 1); end != want {
			t.Fatalf("read up to %d, want %d", end, want)
		}
		valid := 0
		for line := range bytes.Lines(log[:end]) {
			if _, err := parseRecord(line); err == nil {
				valid++
			}
		}
		if len(rs) != valid {
			t.Fatalf("read %d records of %d", len(rs), valid)
		}
		rs = slices.DeleteFunc(rs, func(r Record) bool {
			p, ok := r.Event.(Proposals)
			return r.Event == nil || ok && p.Err != nil
		})
		written, err := lines(rs)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := readRecords(bytes.NewReader(written), 0, new(Record), func(Record, span) {})
		if err != nil || len(again) != len(rs) {
			t.Fatalf("%d records read again of %d, %v", len(again), len(rs), err)
		}
		for i := range rs {
			if diff := differ(again[i], rs[i]); diff != "" {
				t.Fatalf("record %d read again (-got +want):\n%s", i, diff)
			}
		}
	})
}

// FuzzStore puts arbitrary bytes into a store. A listing shows the session or reports an
// error, and the session is read, folded and copied without a panic.
func FuzzStore(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, log []byte) {
		st, path, unread := storeOf(t, log)
		infos, err := st.Every(Listing{})
		if err != nil {
			t.Fatal(err)
		}
		if len(infos) == 0 && len(*unread) == 0 && bytes.Contains(log, []byte("\n")) {
			t.Fatal("neither listed nor skipped")
		}
		_, updates, err := st.Read("id-1")
		if err == nil && len(infos) == 0 {
			t.Fatalf("read, but %v", *unread)
		}
		rs, readErr := NewLog(path, nil).CatchUp()
		if errors.Is(err, ErrNewerFormat) != errors.Is(readErr, ErrNewerFormat) {
			t.Fatalf("read: %v; caught up: %v", err, readErr)
		}
		h := NewHistory()
		for _, r := range Surviving(rs) {
			if r.Event != nil {
				h.Add(r.Event)
			}
		}
		h.Request()
		h.Items()
		for i := 1; i < len(updates); i++ {
			if updates[i-1].Event == nil || updates[i].Event == nil {
				t.Fatal("an update without an event")
			}
		}
		if _, err := st.Fork("id-1", ForkOptions{NewID: "id-2"}); err == nil {
			if _, _, err := st.Read("id-2"); err != nil {
				t.Fatalf("the copy: %v", err)
			}
		}
	})
}
