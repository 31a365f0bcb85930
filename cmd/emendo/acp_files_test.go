package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// TestACPFiles: what the client has and the disk has not is read, and edited through the
// client.
func TestACPFiles(t *testing.T) {
	files := map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}
	reading := map[string]any{"fs": map[string]any{"readTextFile": true}}
	for _, tt := range []struct {
		name                  string
		can                   any
		disk, buffer          string // before; "": there is none
		saves                 bool
		edit                  geminitest.Event
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
			edit: geminitest.Call("write_file", `{"file_path":"a.txt","content":"new\n"}`), wantDisk: "new\n",
		},
		{
			name: "or is new in a buffer", can: files,
			edit: geminitest.Call("write_file", `{"file_path":"a.txt","content":"new\n"}`), wantBuffer: "new\n",
		},
		{
			name: "the line ends of the disk do not make a text unsaved", can: files, disk: "one\r\ntwo\r\n", saves: true, edit: editCall("two", "TWO"),
			wantDisk: "one\r\nTWO\r\n", wantRead: "two",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replies := []geminitest.Reply{geminitest.Do(tt.edit), geminitest.Say("ok")}
			if tt.disk != "" {
				replies = append([]geminitest.Reply{geminitest.Do(geminitest.Call("read_file", `{"file_path":"a.txt"}`))}, replies...)
			}
			w := newWorld(t, replies...).trusted()
			path := filepath.Join(w.dir, "a.txt")
			if tt.disk != "" {
				w.write("a.txt", tt.disk)
			}
			c := w.acp()
			c.Capabilities, c.Files, c.Saves, c.Permit = tt.can, true, tt.saves, option("allow_once", nil)
			if tt.buffer != "" {
				c.Buffers[path] = tt.buffer
			}
			c.Initialize()
			if got := askACP(t, c, w.acpSession(c), "edit"); got != "end_turn" {
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
			var results []string
			for _, r := range w.model.Requests() {
				results = append(results, string(r.Body))
			}
			all := strings.Join(results, "\n")
			if !strings.Contains(all, tt.wantRead) || !strings.Contains(all, tt.wantSettled) {
				t.Errorf("the model read %s", results[len(results)-1])
			}
		})
	}
}

// TestACPReads: every tool that reads a file reads what the client has of it, and the disk
// only if the client fails.
func TestACPReads(t *testing.T) {
	can := map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}
	picture := "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"
	for _, tt := range []struct {
		name         string
		call         geminitest.Event
		disk, buffer string // of a.txt; "": there is none
		broken       bool   // the client answers with an error
		want         string // part of the result
	}{
		{name: "read_file", call: geminitest.Call("read_file", `{"file_path":"a.txt"}`), disk: "saved\n", buffer: "saved\ntyped\n", want: "typed"},
		{name: "read_many_files", call: geminitest.Call("read_many_files", `{"include":["*.txt"]}`), disk: "saved\n", buffer: "saved\ntyped\n", want: "typed"},
		{name: "grep_search in a file", call: geminitest.Call("grep_search", `{"pattern":"typ.d","dir_path":"a.txt"}`), disk: "saved\n", buffer: "saved\ntyped\n", want: "typed"},
		{name: "a file that was never saved", call: geminitest.Call("read_file", `{"file_path":"a.txt"}`), buffer: "typed\n", want: "typed"},
		{name: "and among many", call: geminitest.Call("read_many_files", `{"include":["a.txt"]}`), buffer: "typed\n", want: "typed"},
		{name: "a picture is that of the disk", call: geminitest.Call("read_file", `{"file_path":"a.png"}`), want: "image/png"},
		{name: "a client that fails", call: geminitest.Call("read_file", `{"file_path":"a.txt"}`), disk: "saved\n", broken: true, want: "saved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Do(tt.call), geminitest.Say("ok")).trusted()
			w.write("a.png", picture)
			if tt.disk != "" {
				w.write("a.txt", tt.disk)
			}
			c := w.acp()
			c.Capabilities, c.Files = can, !tt.broken
			c.Answer = func(string, json.RawMessage) (any, error) { return nil, errors.New("the buffer is gone") }
			if tt.buffer != "" {
				c.Buffers[filepath.Join(w.dir, "a.txt")] = tt.buffer
			}
			c.Initialize()
			askACP(t, c, w.acpSession(c), "read")
			rs := w.model.Requests()
			var result string
			for _, p := range rs[len(rs)-1].Contents[len(rs[len(rs)-1].Contents)-1].Parts {
				if p.FunctionResponse != nil {
					result = string(p.FunctionResponse.Response)
				}
			}
			if !strings.Contains(result, tt.want) {
				t.Errorf("the model read %s", result)
			}
			if tt.broken {
				c.AwaitUpdate("a warning", func(u acptest.Update) bool {
					return strings.Contains(u.Update.Description+string(u.Update.Content), "without unsaved changes")
				})
			}
		})
	}
}

// TestACPWholeFile: in auto_edit, a file that is written as a whole keeps what the user
// typed before the model read it.
func TestACPWholeFile(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("read_file", `{"file_path":"a.txt"}`)),
		geminitest.Do(geminitest.Call("write_file", `{"file_path":"a.txt","content":"one\ntyped\nTWO\n"}`)), geminitest.Say("ok")).trusted()
	w.write("a.txt", "one\ntwo\n")
	path := filepath.Join(w.dir, "a.txt")
	c := w.acp("--approval-mode", "auto_edit")
	c.Capabilities, c.Files = map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}, true
	c.Buffers[path] = "one\ntyped\ntwo\n"
	c.Initialize()
	askACP(t, c, w.acpSession(c), "edit")
	if got, _ := c.Buffer(path); got != "one\ntyped\nTWO\n" || w.read("a.txt") != "one\ntwo\n" {
		t.Errorf("the buffer is %q, the disk has %q", got, w.read("a.txt"))
	}
	rs := w.model.Requests()
	if !strings.Contains(string(rs[1].Body), "typed") {
		t.Errorf("the model read %s", rs[1].Body)
	}
}

func TestACPTypingWhileAsked(t *testing.T) {
	w := newWorld(t, geminitest.Do(editCall("two", "TWO")), geminitest.Say("ok")).trusted()
	w.write("a.txt", "one\ntwo\nthree\n")
	path := filepath.Join(w.dir, "a.txt")
	c := w.acp()
	c.Capabilities, c.Files = map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}, true
	c.Permit = func(p acptest.Permission) string {
		c.Type(path, "zero\none\ntwo\nthree\n")
		return option("allow_once", nil)(p)
	}
	c.Initialize()
	askACP(t, c, w.acpSession(c), "edit")
	if got, _ := c.Buffer(path); got != "zero\none\nTWO\nthree\n" {
		t.Errorf("the buffer is %q", got)
	}
	if got := w.read("a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("the disk has %q", got)
	}
}
