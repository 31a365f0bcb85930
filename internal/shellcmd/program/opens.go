package program

import "strings"

// opens records a file that a word names.
func (c *Call) opens(w Word) {
	switch {
	case w.Home != "":
		c.p.Opens = append(c.p.Opens, w.Home)
	case w.Known && w.Text != "" && w.Text != "-":
		c.p.Opens = append(c.p.Opens, c.s.In.Paths(w.Text)...)
	}
}

// opensAny records the paths among the words of a program that nothing is known of, or that
// runs a file, where they look as if they led outside the workspace.
func (c *Call) opensAny() {
	for _, w := range c.words[1:] {
		if _, value, ok := strings.Cut(w.Text, "="); ok && strings.HasPrefix(w.Text, "-") {
			w.Text = value
		}
		if w.Home != "" || w.Known && (strings.HasPrefix(w.Text, "/") || strings.HasPrefix(w.Text, "../") || strings.Contains(w.Text, "/../") || w.Text == "..") {
			c.opens(w)
		}
	}
}
