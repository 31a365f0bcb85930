//go:build editors

package e2e

import (
	"strings"
	"testing"
)

func TestHealthNamesTheMend(t *testing.T) {
	for _, tt := range []struct {
		name  string
		world func(*world)
		fake  string // Lua that runs before
		wants []string
		not   []string
	}{
		{
			name: "all is well", world: func(w *world) { w.emendo("trust", "add") },
			not: []string{"ERROR", "WARNING"},
		},
		{
			name: "there is no binary", world: func(w *world) { w.set("PATH=/usr/bin:/bin") },
			wants: []string{"ERROR", "go install ./cmd/emendo", "PATH"},
		},
		{
			name: "there is no key", world: func(w *world) { w.set("GEMINI_API_KEY=") },
			wants: []string{"GEMINI_API_KEY"},
		},
		{
			name: "Neovim is old", world: func(*world) {},
			fake:  `local has = vim.fn.has; vim.fn.has = function(what) return what == "nvim-0.10" and 0 or has(what) end`,
			wants: []string{"ERROR", "0.10"},
		},
		{
			name: "the folder is not trusted", world: func(*world) {},
			wants: []string{"WARNING", ":Emendo trust"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, parking)
			tt.world(w)
			e := w.start("fee.go")
			e.lua(tt.fake)
			e.keys(":checkhealth emendo<CR>")
			e.until("the report is there", `vim.bo.filetype == "checkhealth" and vim.fn.search("emendo", "nw") > 0`)
			report := strings.Join(value[[]string](e, `return vim.api.nvim_buf_get_lines(0, 0, -1, false)`), "\n")
			for _, want := range tt.wants {
				if !strings.Contains(report, want) {
					t.Errorf("the report does not say %q:\n%s", want, report)
				}
			}
			for _, no := range tt.not {
				if strings.Contains(report, no) {
					t.Errorf("the report says %q:\n%s", no, report)
				}
			}
		})
	}
}
