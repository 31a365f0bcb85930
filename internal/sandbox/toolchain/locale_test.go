package toolchain

import (
	"runtime"
	"slices"
	"testing"
)

func TestLocaleIsUTF8(t *testing.T) {
	fallback := "C.UTF-8"
	switch runtime.GOOS {
	case "darwin":
		fallback = "en_US.UTF-8"
	case "windows":
		return // its shell has no locale of this kind
	}
	for _, c := range []struct {
		name   string
		server []string
		want   string
	}{
		{"none", nil, fallback},
		{"an encoding whose characters can end in a backslash", []string{"LC_ALL=zh_CN.GBK"}, fallback},
		{"one by its alias", []string{"LANG=ja_JP.SJIS"}, fallback},
		{"one without an encoding", []string{"LANG=zh_CN"}, fallback},
		{"single bytes", []string{"LC_ALL=C"}, fallback},
		{"the user's own", []string{"LANG=de_DE.UTF-8"}, "de_DE.UTF-8"},
		{"in lower case", []string{"LANG=de_DE.utf8@euro"}, "de_DE.utf8@euro"},
		{"a category before the language", []string{"LANG=zh_CN.GBK", "LC_CTYPE=zh_CN.UTF-8"}, "zh_CN.UTF-8"},
		{"all before a category", []string{"LC_ALL=zh_CN.GB18030", "LC_CTYPE=zh_CN.UTF-8"}, fallback},
		{"an empty one", []string{"LC_ALL=", "LANG=de_DE.UTF-8"}, "de_DE.UTF-8"},
		{"one that is a path", []string{"LC_ALL=/w/x.UTF-8"}, fallback},
		{"one that is kept by name", []string{"LC_ALL=zh_CN.GBK"}, fallback},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, v := range Environment(c.server, []string{"LC_ALL"}, nil) {
				if len(v) > 7 && v[:7] == "LC_ALL=" {
					got = append(got, v[7:])
				}
			}
			if !slices.Equal(got, []string{c.want}) {
				t.Errorf("LC_ALL is %q, want %q", got, c.want)
			}
		})
	}
}
