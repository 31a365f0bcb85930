package matchtest

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools/match"
)

// placeholders are lines with which models leave text out, and after which line of a
// sample each group stands.
var placeholders = []struct {
	file, after string
	lines       []string
}{
	{"cache.go", "\tnow      func() time.Time", []string{
		"// ... existing fields ...", "// ... other fields", "// ...", "// existing fields unchanged", "// ... (unchanged)", "...",
	}},
	{"cache.go", "\tc.mu.Lock()", []string{
		"// ... existing code ...", "// ... rest of the function ...", "// rest of the method unchanged", "// ... existing implementation ...", "// ... same as before ...",
		"// (rest of the function remains the same)", "// [unchanged]", "// ... keep existing logic ...", "// ... remaining logic ...", "// ...existing code...", "// … existing code …", "// Rest of the code remains unchanged.",
		"func helper() { ... }", "// existing code here",
	}},
	{"tokenizer.py", "        column = match.start() - start", []string{
		"# ... existing code ...", "# ... rest of the function ...", "# ...", "# rest of the code remains the same", "# ... (rest unchanged)", "# ... rest of method ...", "# same as before", "# ... other cases ...", "# existing code here",
		"# [existing code unchanged]", "# ... keep existing logic", "# ... previous code ...", "# ...rest of implementation...", "# (existing code unchanged)", "# code omitted for brevity", "# ... remaining code ...", "...", "# ... unchanged ...",
	}},
	{"TodoList.tsx", `  const [draft, setDraft] = useState("");`, []string{
		"// ... existing code ...", "// ... rest of the component ...", "// ... existing state ...", "// ...", "/* ... */", "{/* ... existing code ... */}", "{/* rest of the component unchanged */}", "// ... existing hooks", "// ... other handlers ...",
		"// rest of component logic remains the same", "// ... existing useEffect hooks ...", "/* ... existing code ... */", "// ...rest of the code", "...", "{/* ... */}", "// unchanged code...", "// ... keep all existing imports ...",
	}},
	{"AccountService.java", "        accounts.put(account.number(), account);", []string{
		"// ... existing code ...", "// ... rest of method ...", "// ... existing methods ...", "// ...", "// existing methods remain unchanged", "// Remaining methods unchanged", "// ... other methods unchanged ...", "/* ... existing code ... */",
		"void helper() { /* ... */ }", "...", "// Rest of the class remains the same", "// ... same as above ...", "// (unchanged)", "// ... [rest of the code]",
	}},
	{"geometry.rs", "    type Output = Point;", []string{
		"// ... existing code ...", "// ... rest of impl ...", "// ...", "// existing methods unchanged", "// ... other impls ...", "fn helper() { ... }", "// ... existing implementation unchanged", "// rest of the file remains unchanged", "...", "/* ... */", "// ... remaining methods ...",
	}},
	{"ring.c", "\tstruct ring *r;", []string{
		"/* ... existing code ... */", "// ... existing code ...", "/* ... */", "/* rest of the function unchanged */", "// ...", "/* ... rest of function ... */", "/* unchanged */", "/* ... same as before ... */", "...", "/* existing code unchanged */", "// ... other initialization ...",
	}},
	{"matrix.hpp", "  std::size_t rows() const { return rows_; }", []string{
		"// ... existing methods ...", "// ... rest of the class ...", "// ...", "void helper() { ... }", "// existing members unchanged...", "/* ... existing code ... */", "// ... (rest of the methods unchanged)", "// ... previous methods ...",
	}},
	{"report.rb", "      @entries = []", []string{
		"# ... existing code ...", "# ... rest of the method ...", "# ...", "# rest of the class unchanged", "# ... existing initialization ...", "# same as before", "# ... other methods ...", "# existing methods remain the same", "# [rest of method unchanged]", "# ... (omitted)",
	}},
	{"Mailer.php", "        $this->templates[$name] = $template;", []string{
		"// ... existing code ...", "// ... rest of the method ...", "// ...", "// existing methods unchanged", "/* ... */", "// ... existing properties ...", "# ... existing code ...", "// rest of the class remains unchanged", "...", "// ... other methods",
	}},
	{"deploy.sh", `    log "would run: $*"`, []string{
		"# ... existing code ...", "# ... rest of the script ...", "# ...", "# rest of the script remains the same", "# (unchanged)", "# existing functions unchanged", "...", "# ... remaining options ...", "# ... same as before",
	}},
	{"schema.sql", "    floor       INTEGER NOT NULL DEFAULT 0,", []string{
		"-- ... existing columns ...", "-- ...", "-- ... rest of the table ...", "-- existing columns unchanged ...", "-- rest of the schema unchanged", "...", "/* ... */", "-- ... other columns ...", "-- (rest unchanged)",
	}},
	{"main.css", "  margin: 0;", []string{
		"/* ... existing styles ... */", "/* ... */", "/* rest of the styles unchanged */", "/* existing styles remain the same */", "/* ... rest of the rules ... */", "...", "/* ... other rules ... */", "/* [unchanged] */", "// ... existing styles",
	}},
	{"index.html", `    <nav aria-label="Main">`, []string{
		"<!-- ... existing code ... -->", "<!-- ... -->", "<!-- rest of the page unchanged -->", "<!-- ... rest of nav ... -->", "<!-- existing content unchanged -->", "<!-- ... other items ... -->", "<!-- (unchanged) -->", "<!-- ... existing content ... -->",
	}},
	{"OrderProcessor.cs", "            var order = await _repository.FindAsync(orderId, cancellation);", []string{
		"// ... existing code ...", "// ... rest of the method ...", "// ...", "// existing code unchanged", "// Rest of the method remains the same...", "/* ... */", "...", "// ... existing validation ...", "// ... other checks ...",
	}},
	{"SessionStore.kt", `        require(user.isNotBlank()) { "user is blank" }`, []string{
		"// ... existing code ...", "// ... rest of the function ...", "// ...", "// rest unchanged", "fun helper() { ... }", "// ... existing logic ...", "...", "// remaining methods stay the same",
	}},
	{"Playlist.swift", "        tracks.append(track)", []string{
		"// ... existing code ...", "// ... rest of the class ...", "// ...", "// existing methods unchanged", "// ... other properties ...", "...", "// rest of implementation unchanged", "/* ... existing code ... */",
	}},
	{"statusline.lua", "  show_branch = true,", []string{
		"-- ... existing options ...", "-- ...", "-- rest of the table unchanged", "-- ... other options ...", "-- existing code unchanged", "-- ... (unchanged)", "-- ... rest of the code ...",
	}},
	{"pipeline.yaml", "          fetch-depth: 0", []string{
		"# ... existing steps ...", "# ... rest of the steps ...", "# ...", "# rest of the file unchanged", "# existing configuration unchanged", "# ... other jobs ...", "# (rest unchanged)", "# ... remaining steps unchanged ...",
	}},
	{"guide.md", "", []string{
		"... (rest of the document unchanged) ...", "<!-- rest of the document unchanged -->", "[... existing content ...]", "(rest of the file remains the same)", "... rest of the section ...", "<!-- ... existing content ... -->",
	}},
}

func TestPlaceholdersAreSeen(t *testing.T) {
	texts := map[string]string{}
	for _, s := range samples {
		texts[s.name] = s.text
	}
	all, missed, missedNew := 0, 0, 0
	for _, group := range placeholders {
		text := texts[group.file]
		at := 0
		if group.after != "" {
			if at = strings.Index(text, group.after+"\n"); at < 0 {
				t.Fatalf("%s has no line %q", group.file, group.after)
			}
			at += len(group.after) + 1
		}
		for _, l := range group.lines {
			all++
			with := text[:at] + indentOf(group.after) + l + "\n" + text[at:]
			if got := match.Elisions(group.file, with, text); len(got) != 1 || got[0] != l {
				missed++
				t.Logf("%s: not seen: %q, but %q", group.file, l, got)
			}
			if got := match.Elisions(group.file, with, ""); len(got) != 1 || got[0] != l {
				missedNew++
				t.Logf("%s: not seen in a new file: %q, but %q", group.file, l, got)
			}
			if got := match.Elisions(group.file, with, with); len(got) > 0 {
				t.Errorf("%s: %q, which the file has", group.file, got)
			}
		}
	}
	t.Logf("of %d: %d not seen, %d not seen in new files", all, missed, missedNew)
	if all < 200 || missed*100 > all*5 || missedNew*100 > all*10 {
		t.Errorf("of %d: %d not seen, %d not seen in new files", all, missed, missedNew)
	}
}
