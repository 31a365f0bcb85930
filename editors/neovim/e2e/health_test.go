//go:build editors

package e2e

import (
	"slices"
	"strings"
	"testing"
)

func TestHealthSuggestsTheFix(t *testing.T) {
	for _, tt := range []struct {
		name  string
		world func(*world)
		fake  string // Lua that runs before
		wants []string
		not   []string
	}{
		{
			name: "all is well", world: func(w *world) { w.emendo("trust", "add") },
			wants: []string{"sandbox: commands run at level ", "is trusted", "git version"},
			not:   []string{"ERROR", "WARNING"},
		},
		{
			name: "there is no sandbox", world: func(w *world) { w.configure(`{"tools": {"sandbox": "off"}}`) },
			wants: []string{"WARNING sandbox: commands run at level C"},
		},
		{
			name: "settings are wrong", world: func(w *world) { w.configure(`{"tools": 1}`) },
			wants: []string{"ERROR settings: ", "settings.json:1:11"},
		},
		{
			name: "there is no binary", world: func(w *world) { w.set("PATH=/usr/bin:/bin") },
			wants: []string{"ERROR", "go install ./cmd/emendo", "PATH"},
		},
		{
			name: "there is no key", world: func(w *world) { w.set("GEMINI_API_KEY=") },
			wants: []string{"ERROR credentials: ", "emendo auth login", "GEMINI_API_KEY"},
		},
		{
			name: "Neovim is old", world: func(*world) {},
			fake:  `local has = vim.fn.has; vim.fn.has = function(what) return what == "nvim-0.10" and 0 or has(what) end`,
			wants: []string{"ERROR", "0.10"},
		},
		{
			name: "the folder is not trusted", world: func(*world) {},
			wants: []string{"WARNING trust: ", ":Emendo trust"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, parking)
			tt.world(w)
			e := w.start("fee.go")
			e.lua(tt.fake)
			e.keys(":checkhealth emendo<CR>")
			e.waitUntil("the report is there", `vim.bo.filetype == "checkhealth" and vim.fn.search("emendo", "nw") > 0`)
			lines := value[[]string](e, `return vim.api.nvim_buf_get_lines(0, 0, -1, false)`)
			report := strings.Join(lines, "\n")
			for _, want := range tt.wants {
				if !strings.Contains(report, want) {
					t.Errorf("the report does not say %q:\n%s", want, report)
				}
			}
			for _, no := range tt.not {
				if slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, no) && !strings.Contains(line, "sandbox") }) { // the sandbox may be missing on this machine
					t.Errorf("the report says %q:\n%s", no, report)
				}
			}
		})
	}
}
