package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/shell"
	"github.com/emendo-dev/emendo/tools/web"
)

// The page lists the sizes of tools, because they are part of each request.
func TestPerformancePageHasTheSizesOfTools(t *testing.T) {
	all := builtin.Tools(shell.Options{}, web.Options{})
	size := func(tool tools.Tool) int {
		s := tool.Spec()
		return len(s.Name) + len(s.Description) + len(s.Schema)
	}
	slices.SortStableFunc(all, func(a, b tools.Tool) int { return size(b) - size(a) })
	table, sum := "| tool | description | schema | in all |\n| --- | --- | --- | --- |\n", 0
	for _, tool := range all {
		s := tool.Spec()
		sum += size(tool)
		table += fmt.Sprintf("| `%s` | %d | %d | %d |\n", s.Name, len(s.Description), len(s.Schema), size(tool))
	}
	table += fmt.Sprintf("| all | | | %d |\n", sum)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n"+table+"\n") {
		t.Errorf("docs/performance.md lacks this table:\n%s", table)
	}
}
