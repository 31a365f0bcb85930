package grammar

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

func TestInert(t *testing.T) {
	for given, want := range map[string]string{
		"![p](http://x/p.png)":                     `\![p](http://x/p.png)`,
		"a ![p][1] b\n\n[1]: http://x/p.png":       `a \![p][1] b` + "\n\n[1]: http://x/p.png",
		"[![p](http://x/p)](http://y)":             `[\![p](http://x/p)](http://y)`,
		`\![p](http://x)`:                          `\![p](http://x)`,
		`\\![p](http://x)`:                         `\\\![p](http://x)`,
		"`![p](x)` and `<img>`":                    "`![p](x)` and `<img>`",
		"```html\n<img src=x>\n![p](x)\n```":       "```html\n<img src=x>\n![p](x)\n```",
		"    <img>\n":                              "    <img>\n",
		"a <img src=http://x> b":                   `a \<img src=http://x> b`,
		"<div>\n![p](x)\n</div>":                   `\<div>` + "\n" + `\![p](x)` + "\n" + `\</div>`,
		"<!-- a -->\n    ![p](x)":                  `\<!-- a -->` + "\n" + `    \![p](x)`,
		"<details>\n\ntext\n\n</details>":          `\<details>` + "\n\ntext\n\n" + `\</details>`,
		"| a | b |\n|---|---|\n| `x | ![p](y) ` |": "| a | b |\n|---|---|\n" + "| `x | " + `\![p](y) ` + "` |",
		"vec![1, 2] and Vec<u8>, a < b, x<3":       `vec\![1, 2] and Vec\<u8>, a < b, x<3`,
		"<https://x.example/a> <me@x.example>":     "<https://x.example/a> <me@x.example>",
		"[a](<b c.md>) ![p](<b c.png>)":            `[a](<b c.md>) \![p](<b c.png>)`,
		"no link](<img src=http://x>)":             `no link](\<img src=http://x>)`,
		"![a\nb](http://x)":                        `\![a` + "\nb](http://x)",
		"> ![p](x)\n- <b>x</b>\n# <i>":             `> \![p](x)` + "\n" + `- \<b>x\</b>` + "\n" + `# \<i>`,
		"wow! [a](b)":                              "wow! [a](b)",
	} {
		if got := Inert(given); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", given, got, want)
		}
	}
}

var texts = flag.Int("texts", 2000, "how many random texts TestAnswersLoadNothing shows")

// No text of a model loads anything in a preview, however it is put together.
func TestAnswersLoadNothing(t *testing.T) {
	pieces := strings.Split("!|[|]|(|)|<|>|`|``|```|~~~|\n|\n\n|    |- |> |\\|a|<img src=http://x>|![p](http://x)|<div>|</div>|<!--|-->|<?|?>|<script>|</script>|<pre>|</pre>|[1]: http://x|][1]|\t|# |<https://x>|](<|://|&lt;|**|_| |1. |===|---|"+`"`, "|")
	pieces = append(pieces, "|", "\n| a | b |\n|---|---|\n| ")
	r := rand.New(rand.NewPCG(1, 2))
	show := []goldmark.Markdown{
		goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe())),
		goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe())),
	}
	for i := range *texts {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		given := b.String()
		got := (&Answer{}).block(given)
		again := Inert(given)
		if Inert(again) != again {
			t.Fatalf("text %d, %q: escaped twice it is %q", i, given, Inert(again))
		}
		if !strings.Contains(given, "\n") && strings.Contains(again, "\n") {
			t.Fatalf("text %d, %q: it has another line in %q", i, given, again)
		}
		for _, m := range show {
			var out bytes.Buffer
			if err := m.Convert([]byte(got+"\n\n[1]: http://x\n"), &out); err != nil {
				t.Fatal(err)
			}
			if shown := out.String(); strings.Contains(shown, "<img") || strings.Contains(shown, "<script") || strings.Contains(shown, "<div") {
				t.Fatalf("text %d, %q, as %q is shown as %s", i, given, got, shown)
			}
		}
	}
}
