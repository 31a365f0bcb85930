//go:build editors

package record

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A driver knows how to start an editor with the stub, and what keys a user
// presses in it, as tmux names them. Without keys to type a letter the editor
// does not do the cases that want one; without keys to save, it saves when the
// stub sends record/save.
type driver struct {
	config  func(stub string) map[string]string // files in the folder of the run
	command func(t *testing.T, program, dir string) []string
	client  string                    // in the editor, where it has a name of its own
	release func(t *testing.T) string // the version; nil: the program says it
	version *regexp.Regexp            // in what the program says of its version; nil: the first number

	letter, undo, save []string // type a letter and end insert mode; undo that; save all
}

const first = "first.txt"

var drivers = map[string]driver{
	"neovim": {
		letter: []string{"i", "x", "Escape"}, undo: []string{"u"},
		config: func(stub string) map[string]string {
			return map[string]string{"init.lua": `
vim.api.nvim_create_autocmd('BufReadPost', {
  pattern = '*.txt',
  callback = function(a)
    vim.lsp.start({
      name = 'recorder',
      cmd = { '` + stub + `' },
      root_dir = vim.fn.getcwd(),
      handlers = { ['record/save'] = function() vim.cmd('silent wall') end },
    }, { bufnr = a.buf })
  end,
})
`}
		},
		command: func(_ *testing.T, program, dir string) []string {
			return []string{program, "-u", filepath.Join(dir, "init.lua"), "-i", "NONE", "-n", first}
		},
	},
	"helix": {
		letter: []string{"i", "x", "Escape"}, undo: []string{"u"},
		config: func(stub string) map[string]string {
			return map[string]string{
				"config/helix/config.toml": "[editor.lsp]\ndisplay-messages = true\n",
				"config/helix/languages.toml": `
[language-server.recorder]
command = "` + stub + `"

[[language]]
name = "recorded"
scope = "text.recorded"
file-types = ["txt"]
language-servers = ["recorder"]
`,
			}
		},
		command: func(_ *testing.T, program, _ string) []string { return []string{program, first} },
		save:    []string{":write-all", "Enter"},
	},
	"emacs": {
		client: "eglot",
		letter: []string{"x"}, undo: []string{"C-_"},
		config: func(stub string) map[string]string {
			return map[string]string{"init.el": `;;; -*- lexical-binding: t -*-
(setq make-backup-files nil create-lockfiles nil auto-save-default nil
      vc-follow-symlinks t inhibit-startup-screen t)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(text-mode "` + stub + `"))
  (setq eglot-confirm-server-edits nil)
  (cl-defmethod eglot-handle-notification (_server (_method (eql record/save)) &rest _)
    (save-some-buffers t)))
(require 'eglot)
(add-hook 'text-mode-hook 'eglot-ensure)
`}
		},
		command: func(_ *testing.T, program, dir string) []string {
			return []string{program, "-nw", "-Q", "-l", filepath.Join(dir, "init.el"), first}
		},
	},
	"lsp-mode": { // in the Emacs that is named; install-lsp-mode.sh finds the package
		release: func(t *testing.T) string {
			return strings.TrimPrefix(filepath.Base(lspMode(t, "lsp-mode-*")[0]), "lsp-mode-")
		},
		config: func(stub string) map[string]string {
			return map[string]string{"init.el": `;;; -*- lexical-binding: t -*-
(setq make-backup-files nil create-lockfiles nil auto-save-default nil vc-follow-symlinks t inhibit-startup-screen t
      native-comp-enable-subr-trampolines nil lsp-auto-guess-root t)
(dolist (dir (split-string (getenv "RECORD_PACKAGES") ":")) (add-to-list 'load-path dir))
(require 'lsp-mode)
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection '("` + stub + `"))
                  :activation-fn (lambda (&rest _) t) :add-on? t :server-id 'recorder))
(add-to-list 'lsp-language-id-configuration '(text-mode . "plaintext"))
(add-hook 'text-mode-hook #'lsp)
`}
		},
		command: func(t *testing.T, program, dir string) []string {
			return []string{"RECORD_PACKAGES=" + strings.Join(lspMode(t, "*"), ":"), program, "-nw", "-Q", "-l", filepath.Join(dir, "init.el"), first}
		},
	},
	"vscode": { // code-server, with an extension of its own
		version: regexp.MustCompile(`with Code ([0-9.]+)`),
		config:  func(string) map[string]string { return nil },
		command: func(t *testing.T, program, dir string) []string {
			extension, err := exec.Command("./install-vscode.sh").Output()
			if err != nil {
				t.Fatal(err)
			}
			return []string{"node", filepath.Join(strings.TrimSpace(string(extension)), "drive.js"), program, dir}
		},
	},
}

// lspMode returns the folders of lsp-mode's packages that match.
func lspMode(t *testing.T, pattern string) []string {
	t.Helper()
	out, err := exec.Command("../install-lsp-mode.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no %s in %s", pattern, out)
	}
	return found
}
