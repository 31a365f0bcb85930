package files_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/acp/worldtest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
)

// trusted returns a world whose folder the user trusts.
func trusted(t *testing.T, replies ...modeltest.Reply) *worldtest.World {
	t.Helper()
	w := worldtest.New(t, replies...)
	w.Trusted.Store(true)
	return w
}

func write(t *testing.T, w *worldtest.World, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, w *worldtest.World, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// results returns what the model has read of its calls.
func results(w *worldtest.World) string {
	var l []string
	for _, r := range w.Model.Requests() {
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				if p, ok := p.(model.Result); ok {
					l = append(l, p.Output)
					for _, b := range p.Blobs {
						l = append(l, b.MIME)
					}
				}
			}
		}
	}
	return strings.Join(l, "\n")
}

// editCall is a call of the model that replaces a passage of a.txt.
func editCall(old, text string) modeltest.Step {
	args, err := json.Marshal(map[string]string{"file_path": "a.txt", "old_string": old, "new_string": text})
	if err != nil {
		panic(err)
	}
	return modeltest.Call("replace", string(args))
}

// allowOnce allows what is asked about, once.
func allowOnce(p acptest.Permission) string {
	for _, o := range p.Options {
		if o.Kind == "allow_once" {
			return o.OptionID
		}
	}
	return ""
}

// TestFiles: what the client has and the disk has not is read, and edited through the
// client.
func TestFiles(t *testing.T) {
	files := map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}
	reading := map[string]any{"fs": map[string]any{"readTextFile": true}}
	for _, tt := range []struct {
		name                  string
		can                   any
		disk, buffer          string // before; empty: no such file
		saves                 bool
		edit                  modeltest.Step
		wantDisk, wantBuffer  string
		wantRead, wantSettled string // parts of the results
	}{
		{
			name: "unsaved text is edited in its buffer", can: files, disk: "one\ntwo\n", buffer: "one\ntwo!\n", edit: editCall("two!", "TWO"),
			wantDisk: "one\ntwo\n", wantBuffer: "one\nTWO\n", wantRead: "two!",
		},
		{
			name: "and saved by a client that saves", can: files, disk: "one\ntwo\n", buffer: "one\ntwo!\n", saves: true, edit: editCall("two!", "TWO"),
			wantDisk: "one\nTWO\n", wantRead: "two!",
		},
		{
			name: "a saved file is written by the client", can: files, disk: "one\ntwo\n", saves: true, edit: editCall("two", "TWO"),
			wantDisk: "one\nTWO\n", wantRead: "two",
		},
		{
			name: "or changed in a buffer", can: files, disk: "one\ntwo\n", edit: editCall("two", "TWO"),
			wantDisk: "one\ntwo\n", wantBuffer: "one\nTWO\n", wantRead: "two",
		},
		{
			name: "a client that only reads keeps its unsaved text", can: reading, disk: "one\ntwo\n", buffer: "one\ntwo!\n", edit: editCall("two!", "TWO"),
			wantDisk: "one\ntwo\n", wantBuffer: "one\ntwo!\n", wantRead: "two!", wantSettled: "unsaved changes",
		},
		{
			name: "its saved files are written on disk", can: reading, disk: "one\ntwo\n", edit: editCall("two", "TWO"),
			wantDisk: "one\nTWO\n", wantRead: "two",
		},
		{
			name: "a new file is written by the client", can: files, saves: true,
			edit: modeltest.Call("write_file", `{"file_path":"a.txt","content":"new\n"}`), wantDisk: "new\n",
		},
		{
			name: "or is new in a buffer", can: files,
			edit: modeltest.Call("write_file", `{"file_path":"a.txt","content":"new\n"}`), wantBuffer: "new\n",
		},
		{
			name: "the line ends of the disk do not make a text unsaved", can: files, disk: "one\r\ntwo\r\n", saves: true, edit: editCall("two", "TWO"),
			wantDisk: "one\r\nTWO\r\n", wantRead: "two",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replies := []modeltest.Reply{{tt.edit}, {modeltest.Say("ok")}}
			if tt.disk != "" {
				replies = append([]modeltest.Reply{{modeltest.Call("read_file", `{"file_path":"a.txt"}`)}}, replies...)
			}
			w := trusted(t, replies...)
			path := filepath.Join(w.Dir, "a.txt")
			if tt.disk != "" {
				write(t, w, "a.txt", tt.disk)
			}
			c := w.Connect()
			c.Capabilities, c.Files, c.Saves, c.Permit = tt.can, true, tt.saves, allowOnce
			if tt.buffer != "" {
				c.Buffers[path] = tt.buffer
			}
			c.Initialize()
			if got := worldtest.Ask(c, w.Session(c), "edit"); got != "end_turn" {
				t.Errorf("stop reason %q", got)
			}
			disk := ""
			if b, err := os.ReadFile(path); err == nil {
				disk = string(b)
			}
			buffer, _ := c.Buffer(path)
			if disk != tt.wantDisk || buffer != tt.wantBuffer {
				t.Errorf("disk %q, want %q; buffer %q, want %q", disk, tt.wantDisk, buffer, tt.wantBuffer)
			}
			if all := results(w); !strings.Contains(all, tt.wantRead) || !strings.Contains(all, tt.wantSettled) {
				t.Errorf("the model read %s", all)
			}
		})
	}
}

// TestReads: every tool that reads a file reads what the client has of it, and the disk
// only if the client fails.
func TestReads(t *testing.T) {
	can := map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}
	picture := "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"
	for _, tt := range []struct {
		name         string
		call         modeltest.Step
		disk, buffer string // of a.txt; empty: no such file
		broken       bool   // the client answers with an error
		want         string // part of the result
	}{
		{name: "read_file", call: modeltest.Call("read_file", `{"file_path":"a.txt"}`), disk: "saved\n", buffer: "saved\ntyped\n", want: "typed"},
		{name: "read_many_files", call: modeltest.Call("read_many_files", `{"include":["*.txt"]}`), disk: "saved\n", buffer: "saved\ntyped\n", want: "typed"},
		{name: "grep_search in a file", call: modeltest.Call("grep_search", `{"pattern":"typ.d","dir_path":"a.txt"}`), disk: "saved\n", buffer: "saved\ntyped\n", want: "typed"},
		{name: "a file that was never saved", call: modeltest.Call("read_file", `{"file_path":"a.txt"}`), buffer: "typed\n", want: "typed"},
		{name: "and among many", call: modeltest.Call("read_many_files", `{"include":["a.txt"]}`), buffer: "typed\n", want: "typed"},
		{name: "a picture is that of the disk", call: modeltest.Call("read_file", `{"file_path":"a.png"}`), want: "image/png"},
		{name: "a client that fails", call: modeltest.Call("read_file", `{"file_path":"a.txt"}`), disk: "saved\n", broken: true, want: "saved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := trusted(t, modeltest.Reply{tt.call}, modeltest.Reply{modeltest.Say("ok")})
			write(t, w, "a.png", picture)
			if tt.disk != "" {
				write(t, w, "a.txt", tt.disk)
			}
			c := w.Connect()
			c.Capabilities, c.Files = can, !tt.broken
			c.Answer = func(string, json.RawMessage) (any, error) { return nil, errors.New("the buffer is gone") }
			if tt.buffer != "" {
				c.Buffers[filepath.Join(w.Dir, "a.txt")] = tt.buffer
			}
			c.Initialize()
			worldtest.Ask(c, w.Session(c), "read")
			if got := results(w); !strings.Contains(got, tt.want) {
				t.Errorf("the model read %s", got)
			}
			if tt.broken {
				c.AwaitUpdate("a warning", func(u acptest.Update) bool {
					return strings.Contains(u.Update.Description+string(u.Update.Content), "without unsaved changes")
				})
			}
		})
	}
}

// TestWholeFile: in auto_edit, a file that is written as a whole keeps what the user
// typed before the model read it.
func TestWholeFile(t *testing.T) {
	w := trusted(t, modeltest.Reply{modeltest.Call("read_file", `{"file_path":"a.txt"}`)},
		modeltest.Reply{modeltest.Call("write_file", `{"file_path":"a.txt","content":"one\ntyped\nTWO\n"}`)}, modeltest.Reply{modeltest.Say("ok")})
	write(t, w, "a.txt", "one\ntwo\n")
	path := filepath.Join(w.Dir, "a.txt")
	w.Mode = policy.AutoEdit
	c := w.Connect()
	c.Capabilities, c.Files = map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}, true
	c.Buffers[path] = "one\ntyped\ntwo\n"
	c.Initialize()
	worldtest.Ask(c, w.Session(c), "edit")
	if got, _ := c.Buffer(path); got != "one\ntyped\nTWO\n" || read(t, w, "a.txt") != "one\ntwo\n" {
		t.Errorf("the buffer is %q, the disk has %q", got, read(t, w, "a.txt"))
	}
	if got := results(w); !strings.Contains(got, "typed") {
		t.Errorf("the model read %s", got)
	}
}

func TestTypingWhileAsked(t *testing.T) {
	w := trusted(t, modeltest.Reply{editCall("two", "TWO")}, modeltest.Reply{modeltest.Say("ok")})
	write(t, w, "a.txt", "one\ntwo\nthree\n")
	path := filepath.Join(w.Dir, "a.txt")
	c := w.Connect()
	c.Capabilities, c.Files = map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}, true
	c.Permit = func(p acptest.Permission) string {
		c.Type(path, "zero\none\ntwo\nthree\n")
		return allowOnce(p)
	}
	c.Initialize()
	worldtest.Ask(c, w.Session(c), "edit")
	if got, _ := c.Buffer(path); got != "zero\none\nTWO\nthree\n" {
		t.Errorf("the buffer is %q", got)
	}
	if got := read(t, w, "a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("the disk has %q", got)
	}
}
