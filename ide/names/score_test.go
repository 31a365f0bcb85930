package names

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestBestMatchesComeFirst(t *testing.T) {
	all := strings.Fields(`
		lsp/ lsp/server.go lsp/server_test.go lsp/serve.go lsp/chat/ lsp/chat/turns.go lsp/review/reserve.go
		docs/server.md internal/observer/main.go some/every/river.go README.md src/FileServer.ts src/fileServer/index.ts
		main.go cmd/emendo/main.go a/very/deep/folder/of/files/main.go Größe.txt`)
	for _, c := range []struct {
		name, query string
		want        []string // the first ones, in order
		not         []string
	}{
		{"a whole name without its extension", "server", []string{"lsp/server.go", "docs/server.md", "lsp/server_test.go", "src/FileServer.ts"}, []string{"README.md"}},
		{"a whole name is better than a beginning", "serve.go", []string{"lsp/serve.go"}, nil},
		{"the shallow one of equals", "main.go", []string{"main.go", "cmd/emendo/main.go", "internal/observer/main.go", "a/very/deep/folder/of/files/main.go"}, nil},
		{"a beginning", "turn", []string{"lsp/chat/turns.go"}, nil},
		{"whatever the case", "ReadMe", []string{"README.md"}, nil},
		{"letters of a name, by the beginnings of its words", "fs", []string{"src/FileServer.ts"}, nil},
		{"letters of a path", "lspturns", []string{"lsp/chat/turns.go"}, []string{"main.go"}},
		{"the beginning of a path", "lsp/", []string{"lsp/chat", "lsp/serve.go", "lsp/server.go"}, []string{"main.go"}},
		{"the end of a path", "emendo/main", []string{"cmd/emendo/main.go"}, []string{"main.go"}},
		{"other letters than English ones", "größe", []string{"Größe.txt"}, nil},
		{"nothing typed", "", []string{"lsp", "main.go", "README.md", "Größe.txt", "lsp/chat"}, nil},
		{"no match", "xyzzy", nil, all},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewRanking(NewQuery(c.query), len(all))
			for _, rel := range all {
				n := New(strings.TrimSuffix(rel, "/"), strings.HasSuffix(rel, "/"))
				r.Add("", &n, 0)
			}
			best, more := r.Best()
			var got []string
			for _, m := range best {
				got = append(got, m.Rel)
			}
			if more || len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) {
				t.Errorf("got %v, want first %v", got, c.want)
			}
			for _, not := range c.not {
				if slices.Contains(got, not) {
					t.Errorf("%s matches", not)
				}
			}
		})
	}
}

func TestRankingKeepsTheBest(t *testing.T) {
	q := NewQuery("file1")
	few, all := NewRanking(q, 5), NewRanking(q, 1000)
	for i := range 300 {
		n := New(fmt.Sprintf("folder%d/file%d.go", i*7%300, i*11%300), false)
		few.Add("/w", &n, i%3)
		all.Add("/w", &n, i%3)
	}
	got, more := few.Best()
	want, _ := all.Best()
	if !more || !slices.Equal(got, want[:5]) {
		t.Errorf("got %v, want %v", got, want[:5])
	}
}

func BenchmarkRanking50k(b *testing.B) {
	list := make([]Name, 50_000)
	for i := range list {
		list[i] = New(fmt.Sprintf("module%02d/package%02d/part%d/source_file_%d.go", i/2000, i/100%20, i/10%10, i), false)
	}
	for _, query := range []string{"", "s", "source49", "pkgfile12", "part3/source", "zzz"} {
		b.Run("query="+query, func(b *testing.B) {
			for b.Loop() {
				r := NewRanking(NewQuery(query), 50)
				for i := range list {
					r.Add("/w", &list[i], 0)
				}
			}
		})
	}
}
