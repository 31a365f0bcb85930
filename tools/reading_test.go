package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadingToolNames(t *testing.T) {
	var got []string
	for _, tool := range Reading() {
		s := tool.Spec()
		got = append(got, s.Name)
		if s.Description == "" || s.Display == "" || (s.Kind != Read && s.Kind != Search) {
			t.Errorf("%s: kind %q, display %q", s.Name, s.Kind, s.Display)
		}
	}
	if d := cmp.Diff(got, []string{"read_file", "list_directory", "glob", "grep_search"}); d != "" {
		t.Error(d)
	}
}
