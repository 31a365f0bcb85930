//go:build editors

package record

import "path/filepath"

// A driver knows how to start an editor with the stub. Without keys to save
// all, the editor saves when the stub sends it record/save.
type driver struct {
	config func(stub string) map[string]string // files in the folder of the run
	args   func(dir string) []string
	save   []string // keys for tmux, like the next

	letter, undo []string // type a letter and end insert mode; undo that
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
		args: func(dir string) []string {
			return []string{"-u", filepath.Join(dir, "init.lua"), "-i", "NONE", "-n", first}
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
		args: func(string) []string { return []string{first} },
		save: []string{":write-all", "Enter"},
	},
	"emacs": {
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
		args: func(dir string) []string { return []string{"-nw", "-Q", "-l", filepath.Join(dir, "init.el"), first} },
	},
}
