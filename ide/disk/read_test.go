package disk

import (
	"io"
	"testing"
)

// byElement returns the tree without its fast path.
func byElement(tree *Tree) *Tree {
	long := &Tree{}
	for _, r := range tree.roots {
		long.roots = append(long.roots, root{r.path, r.dir, nil})
	}
	return long
}

func TestBothPathsToAFileAreEqual(t *testing.T) {
	tree, _, _ := newTree(t, map[string]string{"a/b/c": "text", "a/d/": "", "f": "x", "a/link": "->b/c", "a/out": "->OUT", "a/e": ""})
	long := byElement(tree)
	for _, name := range []string{".", "a", "a/b", "a/b/c", "a/d", "f", "a/e", "none", "a/none/x", "f/x", "a/link", "a/out", "a/out/secret", "..", "../outside/secret", "/", "a/../f", ""} {
		p := Path{Abs: "name", Root: tree.roots[0].path, Rel: name}
		one, err1 := tree.ReadText(t.Context(), p)
		other, err2 := long.ReadText(t.Context(), p)
		if one != other || (err1 == nil) != (err2 == nil) {
			t.Errorf("read %q: %v, %v\nand %v, %v", name, one, err1, other, err2)
		}
		l1, err1 := tree.List(p)
		l2, err2 := long.List(p)
		if len(l1) != len(l2) || (err1 == nil) != (err2 == nil) {
			t.Errorf("list %q: %v, %v\nand %v, %v", name, l1, err1, l2, err2)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for name, way := range map[string]func(*Tree) *Tree{"direct": func(t *Tree) *Tree { return t }, "by element": byElement} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			tree, err := NewTree([]string{dir})
			if err != nil {
				b.Fatal(err)
			}
			defer tree.Close()
			p, err := tree.Resolve("one/two/three/four/file.go")
			if err != nil {
				b.Fatal(err)
			}
			if err := tree.Write(b.Context(), p, make([]byte, 2048), WriteOptions{}); err != nil {
				b.Fatal(err)
			}
			tree = way(tree)
			for b.Loop() {
				f, err := tree.Open(p)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, f); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	tree, err := NewTree([]string{b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	p, err := tree.Resolve("one/two/three/four/file.go")
	if err != nil {
		b.Fatal(err)
	}
	if err := tree.Write(b.Context(), p, nil, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := tree.Resolve("one/two/three/four/file.go"); err != nil {
			b.Fatal(err)
		}
	}
}
