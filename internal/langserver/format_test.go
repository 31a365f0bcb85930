package langserver

import "testing"

func TestIndentation(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		size       int
		spaces     bool
	}{
		{name: "nothing is indented", text: "a\nb\n", size: 4, spaces: true},
		{name: "tabs", text: "a {\n\tb {\n\t\tc\n\t}\n}\n", size: 4, spaces: false},
		{name: "two spaces", text: "a {\n  b {\n    c\n  }\n}\n", size: 2, spaces: true},
		{name: "four spaces, one line aligned", text: "a\n    b\n        c\nd\n    e(f,\n      g)\n", size: 4, spaces: true},
		{name: "comments with one space", text: "/*\n * a\n */\nb {\n  c\n}\n", size: 2, spaces: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if size, spaces := indentation(tt.text); size != tt.size || spaces != tt.spaces {
				t.Errorf("got %d, %v, want %d, %v", size, spaces, tt.size, tt.spaces)
			}
		})
	}
}
