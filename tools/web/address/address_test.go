package address

import (
	"strings"
	"testing"
)

func TestAddressesInATextAndAlone(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		want string // or what the error has
	}{
		{"one", "Read https://example.com/a.", "https://example.com/a"},
		{"in brackets", "Read (https://example.com/a), [this](https://example.com/b) and <https://example.com/c>!", "https://example.com/a https://example.com/b https://example.com/c"},
		{"with brackets of its own", "https://example.com/Go_(game)", "https://example.com/Go_(game)"},
		{"in quotes", `"https://example.com/a" 'https://example.com/b'`, "https://example.com/a https://example.com/b"},
		{"the same twice", "https://example.com HTTPS://EXAMPLE.com:443/#top http://example.com:80", "https://example.com/ http://example.com/"},
		{"with a port", "http://example.com:8080/x", "http://example.com:8080/x"},
		{"in another script", "https://пример.рф/путь?q=ü", "https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C?q=%C3%BC"},
		{"with a direction mark", "https://example.com/a\u202eb", "https://example.com/a%E2%80%AEb"},
		{"a file on GitHub", "https://github.com/golang/go/blob/master/src/a%20b.go#L10", "https://raw.githubusercontent.com/golang/go/master/src/a%20b.go"},
		{"a folder on GitHub", "https://github.com/golang/go/tree/master/src", "https://github.com/golang/go/tree/master/src"},
		{"none", "Read the documentation.", ""},
		{"another scheme", "Read ftp://example.com/a", "only http and https are fetched"},
		{"a file", "Read file:///etc/passwd", "only http and https are fetched"},
		{"a password", "https://user:secret@example.com/", "a user name or password"},
		{"a name alone", "https://user@example.com/", "a user name or password"},
		{"no host", "https:///a", "invalid host name"},
		{"a bad port", "https://example.com:x/", "invalid port"},
		{"a bad host", "https://exa%20mple.com/", "invalid"},
		{"too long", "https://example.com/" + strings.Repeat("a", 2000), "the limit is 2000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := In(tt.text)
			var got []string
			for _, u := range l {
				got = append(got, u.String())
			}
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
					t.Errorf("got %v, want %s", err, tt.want)
				}
			} else if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
	for given, want := range map[string]string{
		"example.com":           "https://example.com/",
		" https://example.com ": "https://example.com/",
		"example.com.":          "https://example.com/",
		"[::ffff:1.2.3.4]":      "https://[::ffff:1.2.3.4]/",
	} {
		if u, err := Parse(given); err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v", given, u, err)
		}
	}
}

func FuzzAddresses(f *testing.F) {
	f.Add("see https://example.com/a(b)c and http://[::1]:8/?q=1#x or ftp://a")
	f.Add("https://github.com/a/b/blob/c/%zz")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := In(text)
		if err != nil {
			return
		}
		for _, u := range l {
			again, err := Parse(u.String())
			if err != nil || again.String() != u.String() || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
				t.Errorf("%q: %q becomes %v, %v", text, u, again, err)
			}
		}
	})
}
