package match

import "testing"

func TestElision(t *testing.T) {
	elided := []string{
		"...", "  …", "// ...", "# ...", "/* ... */", "<!-- ... -->", "{/* ... existing code ... */}", "// ... existing code ...",
		"// rest of method ...", "(rest of methods ...)", "// unchanged code...", "// ... (unchanged)", "// [unchanged]",
		"# rest of the code remains the same", "// The rest of the file is unchanged.", "// same as before ...", "-- ... other methods ...",
		"x() // ... rest unchanged", "func f() { ... }", "void f() { /* ... */ }", "// ... keep existing imports ...", "// existing code here",
	}
	for _, l := range elided {
		if Elision("a\n"+l+"\nb") == "" {
			t.Errorf("not seen as left out: %q", l)
		}
		if got := Elision("\t"+l+"\n", "a\n"+l+"\n"); got != "" {
			t.Errorf("left out though the text has it: %q", got)
		}
	}
	meant := []string{
		"", "return x...", "f(args...)", "const all = [...a, ...b]", "x = {...props}", "// wait for the rest of the line", "// see https://example.com/...",
		"// keep the existing order of hooks", "rest := s[1:]", "unchanged := true", "fmt.Println(\"loading...\")", "log(\"rest of code ...\")", "case x ... y:",
		"// Omitted fields keep their values.", "print('...')", "#include <existing/code.h>", "..", "# existing users are kept; see the code",
	}
	for _, l := range meant {
		if got := Elision(l); got != "" {
			t.Errorf("seen as left out: %q", got)
		}
	}
}
