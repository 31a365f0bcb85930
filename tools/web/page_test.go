package web

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind string
		body string
		want string
	}{
		{"plain text", "text/plain", "a\r\nb\x1b[31m", "a\nb[31m"},
		{"no type", "", "just text", "just text"},
		{"no type, a page", "", "<!DOCTYPE html><p>Hello <b>you</b>", "Hello **you**"},
		{"an invalid type", ";;", "text", "text"},
		{"JSON", "application/json", `{"a":1}`, `{"a":1}`},
		{"SVG", "image/svg+xml", "<svg/>", "<svg/>"},
		{"Latin 1 that is declared", "text/plain; charset=iso-8859-1", "caf\xe9", "café"},
		{"UTF-8 that is declared as Latin 1", "text/plain; charset=iso-8859-1", "café", "café"},
		{"Latin 1 that is declared as UTF-8", "text/plain; charset=utf-8", "caf\xe9", "café"},
		{"UTF-8 with one bad byte", "text/plain; charset=utf-8", "café \xff", "café \uFFFD"},
		{"an unknown encoding", "text/plain; charset=nonsense", "abc", "abc"},
		{"UTF-16 by its mark", "text/plain", "\xff\xfea\x00b\x00", "ab"},
		{"UTF-8 by its mark", "text/plain", "\xef\xbb\xbfä", "ä"},
		{"Shift JIS by the page", "text/html", "<meta charset=shift_jis><p>\x93\xfa\x96\x7b", "日本"},
		{"ISO 2022", "text/plain; charset=iso-2022-jp", "\x1b$BF|K\\\x1b(B", "日本"},
		{"a page that is declared as text", "text/plain", "<p>a</p>", "<p>a</p>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := read(response{url: &url.URL{Scheme: "https", Host: "a.test"}, contentType: tt.kind, body: []byte(tt.body)})
			if err != nil || p.text != tt.want {
				t.Errorf("got %q, %v, want %q", p.text, err, tt.want)
			}
		})
	}
}

func TestBlobs(t *testing.T) {
	for body, want := range map[string]string{"%PDF-1.4 x": "application/pdf", "\x89PNG\r\n\x1a\nx": "image/png", "GIF89a": "image/gif"} {
		p, err := read(response{contentType: "text/html", body: []byte(body)})
		if err != nil || p.blob == nil || p.blob.MIME != want || string(p.blob.Data) != body {
			t.Errorf("%s: got %+v, %v", want, p, err)
		}
	}
	if _, err := read(response{contentType: "application/zip", body: []byte("PK\x03\x04\x00\x00\x00\x00\x00")}); err == nil || err.Error() != "is application/zip, 9 bytes, which web_fetch cannot read" {
		t.Errorf("got %v", err)
	}
}

func TestMarkdown(t *testing.T) {
	at := &url.URL{Scheme: "https", Host: "a.test", Path: "/docs/page"}
	for _, tt := range []struct {
		name string
		html string
		want string
	}{
		{"headings and lists", "<h1>Title</h1><ul><li>one<li>two</ul><ol><li>a</ol>", "# Title\n\n- one\n- two\n\n<!--THE END-->\n\n1. a"},
		{"links", `<p><a href="../x?a=b">x</a> <a href="#y">y</a> <a href="javascript:alert(1)">z</a>`, "[x](https://a.test/x?a=b) [y](#y) z"},
		{"a base", `<base href="https://b.test/d/"><p><a href="x">x</a>`, "[x](https://b.test/d/x)"},
		{"code", "<pre><code class=\"language-go\">x := *p_a\n</code></pre>", "```go\nx := *p_a\n```"},
		{"nothing is escaped", "<p>snake_case * 2 [1] Vec&lt;T&gt; &amp;lt;", "snake_case * 2 [1] Vec<T> &lt;"},
		{"a table", "<table><tr><th>a<th>b<tr><td colspan=9999>1<td>2</table>", "| a | b |\n|---|---|\n| 1 | 2 |"},
		{"what is not read", "<script>x</script><style>y</style><p hidden>z</p><noscript>n</noscript><!-- c --><p>seen", "seen"},
		{"images", `<p><img src=a.png alt=A><img src="data:image/png;base64,AAAA" alt=B>`, "![A](https://a.test/docs/a.png)B"},
		{"the main part", "<nav>Menu</nav><main>" + strings.Repeat("word ", 50) + "</main>", strings.TrimSpace(strings.Repeat("word ", 50))},
		{"a short main part", "<p>before</p><main>x</main>", "before\n\nx"},
		{"nested too deeply", strings.Repeat("<div>", 600) + "deep<br>er<script>x</script>", "deep\ner"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := markdown(tt.html, at).text; got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	if p := markdown("<title>A\n\u202eB</title><p>x", at); p.title != `A \u202eB` {
		t.Errorf("the title is %q", p.title)
	}
}

// Pages whose Markdown would be many times their size, or take long to write.
func TestPagesThatExplode(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, (600<<10)/len(s)) }
	at := &url.URL{Scheme: "https", Host: "a.test", Path: "/" + strings.Repeat("long/", 300)}
	for name, page := range map[string]string{
		"marks":             many("*_[`"),
		"nested quotes":     strings.Repeat("<blockquote>", 400) + many("x<br>"),
		"nested lists":      strings.Repeat("<ul><li>", 200) + many("x<br>"),
		"a wide row":        "<table><tr>" + many("<td>a") + strings.Repeat("<tr><td>b", 10_000),
		"a wide cell":       "<table><tr><td>" + many("a") + many("<tr><td>b"),
		"spanning columns":  "<table><tr>" + many("<td colspan=1000>a"),
		"spanning rows":     "<table>" + many("<tr><td rowspan=60000>a"),
		"relative links":    many("<a href=x>y</a>"),
		"nested tables":     strings.Repeat("<table><tr><td>", 100) + many("<tr><td>x"),
		"unclosed elements": many("<p><font>"),
		"one line":          many("word "),
	} {
		t.Run(name, func(t *testing.T) {
			p := markdown(page, at)
			if len(p.text) > 64*maxText {
				t.Errorf("%d bytes become %d", len(page), len(p.text))
			}
			if !utf8.ValidString(p.text) {
				t.Error("not UTF-8")
			}
		})
	}
	if p := markdown(strings.Repeat("<p>a paragraph of a few words</p>", 10_000), at); p.cut || !strings.HasSuffix(p.text, "few words") {
		t.Errorf("a large page is cut: %v, %d bytes", p.cut, len(p.text))
	}
	if p := markdown(many("word "), at); !p.cut || len(p.text) > maxText+10 {
		t.Errorf("a page of text is not cut: %d bytes", len(p.text))
	}
}
