package briefing_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// Named files are sent whole, except those hidden from the model.
func TestFilesNamedInAPromptAreSent(t *testing.T) {
	files := map[string]string{
		"main.go": "package main // one\n", "a b.txt": "with a blank\n", "docs/x.md": "of the docs\n", "docs/y.md": "one\ntwo\nthree\nfour\n", "made.txt": "made\n", ".gitignore": "made.txt\n", ".git/HEAD": "",
		".env": "KEY=hunter2\n", "private.md": "not for models\n", ".emendoignore": "private.md\nhidden/\n", "long.txt": strings.Repeat("a long line\n", 10_000),
		"big/a.txt": strings.Repeat("a", 40_000), "big/b.txt": strings.Repeat("b", 40_000), "hidden/h.txt": "not for models\n", "old.txt": "caf\xe9 \x80\n",
	}
	for _, tt := range []struct {
		name, prompt string
		sent         []string // the sent texts
		lists        int      // number of file lists among them
		notices      string
	}{
		{name: "one, with a full stop behind it", prompt: "Explain @main.go.", sent: []string{"// one"}},
		{name: "in brackets, and twice", prompt: "Explain it (@main.go) and @./main.go", sent: []string{"// one"}},
		{name: "with a blank", prompt: `See @a\ b.txt`, sent: []string{"with a blank"}},
		{name: "in quotes", prompt: `See @"a b.txt"`, sent: []string{"with a blank"}},
		{name: "several", prompt: "@docs/x.md\n@main.go", sent: []string{"of the docs", "// one"}},
		{name: "one that git ignores", prompt: "@made.txt", sent: []string{"made\n"}},
		{name: "by its absolute path", prompt: "@$DIR/main.go", sent: []string{"// one"}},
		{name: "a folder", prompt: "What is in @docs?", sent: []string{"<file_list of=\"docs\">\ndocs/x.md\ndocs/y.md\n</file_list>", "of the docs", "three"}, lists: 1},
		{name: "a folder as completion writes it, and one of its files", prompt: "See @docs/ and @docs/x.md", sent: []string{"of the docs", "three", "docs/y.md\n</file_list>"}, lists: 1},
		{name: "a folder with too much", prompt: "@big", sent: []string{"big/a.txt\nbig/b.txt\n(the files are too long to include together"}, lists: 1},
		{name: "a pattern", prompt: "Compare @docs/*.md.", sent: []string{"<file_list of=\"docs/*.md\">", "of the docs", "three"}, lists: 1},
		{name: "a pattern across folders", prompt: "(@**/x.*)", sent: []string{"<file_list of=\"**/x.*\">\ndocs/x.md\n</file_list>", "of the docs"}, lists: 1},
		{name: "a pattern that matches nothing it may read", prompt: "@*.e?v @.env* @private.*", notices: "*.e?v was not sent: It has no files that the model may read.\n.env* was not sent: It has no files that the model may read.\nprivate.* was not sent: It has no files that the model may read."},
		{name: "a pattern outside", prompt: "@/etc/* @../*"},
		{name: "an ignored folder", prompt: "@hidden/", notices: "hidden/ was not sent: The ignore rules exclude it."},
		{name: "no file", prompt: "Ask @alice, me@main.go, @Override"},
		{name: "a secret", prompt: "@.env", notices: ".env was not sent: The file looks as if it holds secrets."},
		{name: "one that is kept from models", prompt: "@private.md", notices: "private.md was not sent: The ignore rules (.geminiignore or .emendoignore) exclude it."},
		{name: "a long one", prompt: "@long.txt", sent: []string{"(the rest is omitted: the file has 10000 lines)"}},
		{name: "one in another encoding", prompt: "@old.txt", sent: []string{"\n[Encoding: windows-1252, as far as the bytes show; edits are written in it.]\ncafé €\n"}},
		{name: "lines", prompt: "See @docs/y.md:2-3, and", sent: []string{"lines=\"2-3\">\ntwo\nthree\n</"}},
		{name: "one line of a secret", prompt: "@.env:1", notices: ".env was not sent: The file looks as if it holds secrets."},
		{name: "lines that it does not have", prompt: "@main.go:7-9 @main.go:0 @none.go:1"},
		{name: "outside", prompt: "@/etc/hostname @../x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				prompt := strings.ReplaceAll(tt.prompt, "$DIR", w.Dir)
				w.Prompt(w.Session(policy.Default), prompt)
				asked := agenttest.TextOf(w.LastRequest())
				if n := strings.Count(asked, "<file_part"); n != len(tt.sent)-tt.lists {
					t.Errorf("%d files are sent, want %d", n, len(tt.sent)-tt.lists)
				}
				if n := strings.Count(asked, "<file_list"); n != tt.lists {
					t.Errorf("%d lists are sent, want %d", n, tt.lists)
				}
				for _, text := range tt.sent {
					if strings.Count(asked, text) != 1 {
						t.Errorf("%q is not sent once", text)
					}
				}
				if !strings.Contains(asked, prompt) || strings.Contains(asked, "hunter2") || strings.Contains(asked, "not for models") || len(asked) > 100_000 {
					t.Errorf("the model is asked %.2000s", asked)
				}
				if notices := w.NoticesOf(transcript.NoticeNotSent); notices != tt.notices {
					t.Errorf("notices %q", notices)
				}
			})
		})
	}
}

// Images are attached after a line that names the file, also after a restart.
func TestImagesNamedInAPromptAreAttached(t *testing.T) {
	const image, document = "\x89PNG\r\n\x1a\n\x00\x01", "%PDF-1.4\n\xff"
	files := map[string]string{"a b.png": image, "doc.pdf": document, "data.bin": "\x00\x01\x02", "huge.png": image + strings.Repeat("\x00", 10<<20)}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		w.Prompt(s, `Compare @a\ b.png, @"doc.pdf", @data.bin and @huge.png.`)
		attached := func() string {
			var l []string
			for _, m := range w.LastRequest().Messages {
				for _, p := range m.Parts {
					if b, ok := p.(model.Blob); ok {
						l = append(l, b.MIME+" "+string(b.Data))
					}
				}
			}
			return strings.Join(l, "|")
		}
		want := "image/png " + image + "|application/pdf " + document
		if got := attached(); got != want {
			t.Errorf("attached is %q", got)
		}
		if asked := agenttest.TextOf(w.LastRequest()); !strings.Contains(asked, "<file_part path=\"a b.png\">\nimage/png, 10 bytes, is attached.\n</file_part>") {
			t.Errorf("the model is asked %s", asked)
		}
		if notices := w.NoticesOf(transcript.NoticeNotSent); !strings.Contains(notices, "data.bin was not sent: The file cannot be read") || !strings.Contains(notices, "huge.png was not sent") {
			t.Errorf("notices %q", notices)
		}
		w.Stop()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "Again.")
		if got := attached(); got != want {
			t.Errorf("after a restart attached is %q", got)
		}
	})
}

// A file that is both attached and named is sent once: clients send both.
func TestAnAttachedAndNamedFileIsSentOnce(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"main.go": "package main // one\n"}, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		blocks := append(agenttest.Say("Explain @main.go"), transcript.Block{Type: transcript.ResourceBlock, URI: w.URI("main.go"), Text: "package main // one\n"})
		if _, err := w.Session(policy.Default).Prompt(t.Context(), state.Prompt{Blocks: blocks}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(agenttest.TextOf(w.LastRequest()), "// one"); n != 1 {
			t.Errorf("it is sent %d times", n)
		}
	})
}

// Mention blocks send their files whether or not the text names them too.
func TestMentionBlocksSendTheirFiles(t *testing.T) {
	files := map[string]string{"main.go": "package main // one\n", ".env": "KEY=hunter2\n"}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		block := func(kind, name string) transcript.Block {
			return transcript.Block{Type: transcript.LinkBlock, URI: w.URI(name), Name: name, Mention: &transcript.Mention{Kind: kind, Label: "@" + name}}
		}
		blocks := append(agenttest.Say("Explain @main.go"), block("file", "main.go"), block("editor", ".env"), block("folder", "."))
		if _, err := w.Session(policy.Default).Prompt(t.Context(), state.Prompt{Blocks: blocks}); err != nil {
			t.Fatal(err)
		}
		asked := agenttest.TextOf(w.LastRequest())
		if strings.Count(asked, "// one") != 1 || strings.Contains(asked, "hunter2") {
			t.Errorf("the model is asked %s", asked)
		}
		if notices := w.NoticesOf(transcript.NoticeNotSent); notices != ".env was not sent: The file looks as if it holds secrets." {
			t.Errorf("notices %q", notices)
		}
	})
}

// A prompt can request the problems of all files of the workspace.
func TestProblemsRequestedByAPromptAreSent(t *testing.T) {
	link := transcript.Block{Type: transcript.LinkBlock, URI: transcript.ProblemsURI, Name: "problems"}
	problem := `{"range":{"start":{"line":2}},"severity":1,"message":"undefined: y"}`
	for _, tt := range []struct {
		name    string
		blocks  []transcript.Block
		items   string
		sent    string
		notices string
	}{
		{name: "by a block", blocks: append(agenttest.Say("Fix them"), link), items: `{"uri":"DIR/b.go","diagnostics":[` + problem + `]}`, sent: "<problems>\nb.go\nline 3, error: undefined: y\n</problems>"},
		{name: "in the text", blocks: agenttest.Say("Fix @problems."), items: `{"uri":"DIR/b.go","diagnostics":[` + problem + `]}`, sent: "undefined: y"},
		{name: "of a secret and of another folder", blocks: agenttest.Say("@problems"), items: `{"uri":"DIR/.env","diagnostics":[` + problem + `]},{"uri":"file:///x/y.go","diagnostics":[` + problem + `]}`, sent: "The editor shows no problems."},
		{name: "from an editor that has none", blocks: agenttest.Say("@problems"), notices: "The problems were not sent: This editor does not report problems."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				if tt.items != "" {
					w.Editor.Problems = func([]ide.URI) json.RawMessage {
						return json.RawMessage("[" + strings.ReplaceAll(tt.items, "DIR", strings.TrimSuffix(w.URI("x"), "/x")) + "]")
					}
				}
				if _, err := w.Session(policy.Default).Prompt(t.Context(), state.Prompt{Blocks: tt.blocks}); err != nil {
					t.Fatal(err)
				}
				if asked := agenttest.TextOf(w.LastRequest()); !strings.Contains(asked, tt.sent) {
					t.Errorf("the model is asked %s", asked)
				}
				if notices := w.NoticesOf(transcript.NoticeNotSent); notices != tt.notices {
					t.Errorf("notices %q", notices)
				}
			})
		})
	}
}
