//go:build editors

package e2e

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A question about a file of another project adds that project to the workspace, without
// a restart; a restarted server has it, too.
func TestASecondProjectJoins(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("A tariff."), geminitest.Say("A garden."), geminitest.Say("As before."))
	w.write("../garden/.git/HEAD", "ref: refs/heads/main\n")
	w.write("../garden/beds.go", "package garden\n")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is it?" })`)
	e.waitForAnswer("A tariff.")
	e.keys(":edit ../garden/beds.go<CR>ggOvar unsaved int<Esc>")
	e.keys(":Emendo ask And this?<CR>")
	e.waitFor("garden to the workspace")
	e.waitForAnswer("A garden.")
	e.waitUntil("the server knows the buffer", `vim.tbl_contains(require("emendo").state().buffers, vim.fn.bufnr("beds.go"))`)
	if sent := w.lastRequest(); !strings.Contains(sent, "beds.go") {
		t.Errorf("the last request lacks the file: %s", sent)
	}
	if n := len(of(w.wire(), "workspace/didChangeWorkspaceFolders")); n != 1 {
		t.Errorf("%d folders were added", n)
	}
	if n := len(of(w.wire(), "initialize")); n != 1 {
		t.Errorf("%d servers were started", n)
	}
	e.replaceServer(func() { e.keys(":Emendo restart<CR>") })
	e.lua(`require("emendo").ask({ prompt = "Once more?" })`)
	e.waitForAnswer("As before.")
	last := of(w.wire(), "initialize")[1]
	if !strings.Contains(string(last.Params), "/garden") {
		t.Errorf("the restarted server lacks the folder: %s", last.Params)
	}
	w.checkAllDeclared()
}

// An untrusted project does not join a session whose folder is trusted, until it is
// trusted from one of its files.
func TestAnUntrustedProjectJoinsOnceTrusted(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("A tariff."), geminitest.Say("Not seen."), geminitest.Say("Seen."))
	w.write("../garden/.git/HEAD", "ref: refs/heads/main\n")
	w.write("../garden/beds.go", "package garden\n")
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is it?" })`)
	e.waitForAnswer("A tariff.")
	e.keys(":edit ../garden/beds.go<CR>:Emendo ask And this?<CR>")
	e.waitForAnswer("Not seen.")
	e.waitFor("! A folder is not part of this session")
	e.keys(":Emendo trust<CR>")
	e.choose("rust")
	e.waitFor("trusted now: ")
	e.lua(`require("emendo").ask({ prompt = "And now?" })`)
	e.waitForAnswer("Seen.")
	if sent := w.lastRequest(); !strings.Contains(sent, `/garden\n</session_context>`) {
		t.Errorf("the last request does not name the folder: %s", sent)
	}
	w.checkAllDeclared()
}

// A folder is added by name. One that exists already, and what is not a folder, are not.
func TestAFolderIsAdded(t *testing.T) {
	w := newWorld(t, parking)
	w.write("../garden/beds.go", "package garden\n")
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.waitUntil("the server is ready", `require("emendo.server.client").server.ready`)
	e.keys("<Esc>:Emendo folder ../garden<CR>")
	e.waitFor("added to the workspace: ")
	e.keys(":Emendo folder ../garden<CR>")
	e.waitFor("the workspace has it already")
	e.keys(":Emendo folder ../garden/beds.go<CR>")
	e.waitFor("is not a folder")
	e.lua(`require("emendo.server.client").request("emendo/session/list", vim.empty_dict(), function() _G.listed = true end)`)
	e.waitUntil("the server has answered", `_G.listed`)
	if n := len(of(w.wire(), "workspace/didChangeWorkspaceFolders")); n != 1 {
		t.Errorf("%d folders were added", n)
	}
	w.checkAllDeclared()
}

// The image in the clipboard is attached, shown above the prompt, and sent. Without a
// clipboard or its program the message says what to do.
func TestAnImageIsPasted(t *testing.T) {
	var dot strings.Builder
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, parking, geminitest.Say("A picture."), geminitest.Say("Another."))
	w.write("shot.png", dot.String())
	w.write("../bin/wl-paste", "#!/bin/sh\n[ \"$*\" = '--type image/png' ] && cat \"$CLIPBOARD\"\n")
	if err := os.Chmod(w.path("../bin/wl-paste"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.set("WAYLAND_DISPLAY=wayland-0")
	w.set("CLIPBOARD=" + w.path("shot.png"))
	w.set("PATH=" + w.path("../bin") + string(filepath.ListSeparator) + filepath.Join(home, "go", "bin") + ":/usr/bin:/bin")
	e := w.start("fee.go")
	e.openPrompt("What is this?<M-v>")
	e.waitFor("image (1 KB)")
	e.keys("<C-s>")
	e.waitForAnswer("A picture.")
	prompts := of(w.wire(), "emendo/session/prompt")
	if !strings.Contains(strings.ReplaceAll(string(prompts[0].Params), `\/`, "/"), `"mimeType":"image/png"`) {
		t.Errorf("the image was not sent: %s", prompts[0].Params)
	}
	e.lua(`vim.ui.open = function(path) _G.opened = path end`)
	e.keys("<Esc>:Emendo close<CR>:Emendo<CR><Esc><C-w>k")
	e.keys("/image.png<CR><CR>")
	e.waitUntil("the image is opened from the conversation", `_G.opened`)
	if opened, err := os.ReadFile(value[string](e, `return _G.opened`)); err != nil || string(opened) != dot.String() {
		t.Errorf("the opened image has %d bytes: %v", len(opened), err)
	}
	e.keys(":Emendo paste shot.png<CR>")
	e.waitFor("shot.png (1 KB)")
	e.keys(":Emendo detach<CR>")
	e.waitUntil("it is removed", `#require("emendo.session.attachments").images() == 0`)
	e.keys(":Emendo paste fee.go<CR>")
	e.waitFor("fee.go is not a PNG, JPEG, GIF or WebP image")
	e.keys(":Emendo ask And @shot.png here?<CR>")
	e.waitForAnswer("Another.")
	if sent := w.lastRequest(); strings.Count(sent, "inlineData") != 2 {
		t.Errorf("the last request has not both images: %s", sent)
	}

	e.lua(`vim.env.CLIPBOARD = "/no/such/file"`)
	e.keys(":Emendo paste<CR>")
	e.waitFor("there is no image in the clipboard (wl-paste: cat:")
	e.lua(`vim.env.PATH = "/no/such/folder"`)
	e.keys(":Emendo paste<CR>")
	e.waitFor(`there is no program "wl-paste", which reads images from the clipboard: install wl-clipboard`)
	e.lua(`vim.env.WAYLAND_DISPLAY, vim.env.DISPLAY = nil, nil`)
	e.keys(":Emendo paste<CR>")
	e.waitFor("there is no clipboard here")
	w.checkAllDeclared()
}
