package tools

import (
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
)

func TestDeleteFile(t *testing.T) {
	cases := []struct{ name, file, want string }{
		{name: "a file", file: "b.txt", want: "Delete b.txt"},
		{name: "a file with unsaved text", file: "a.txt", want: "Delete a.txt"},
		{name: "a missing file", file: "no.txt", want: "file_not_found: cannot delete no.txt: ..."},
		{name: "a folder", file: "sub", want: "target_is_directory: cannot delete sub: it is a folder; use run_shell_command"},
		{name: "a binary file", file: "image.bin", want: "read_content_failure: cannot delete image.bin: it is a binary file, which cannot be reviewed; use run_shell_command"},
		{name: "a link, and not what it leads to", file: "link.txt", want: "invalid_tool_params: cannot delete link.txt: it is a symbolic link to a.txt; ..."},
		{name: "an excluded file", file: "private/p.txt", want: "permission_denied: cannot change private/p.txt: ..."},
		{name: "a document that is not a file", file: "untitled:Untitled-1", want: "invalid_tool_params: cannot delete untitled:Untitled-1: it is not a file on disk but a document of the editor"},
		{name: "a file outside the workspace", file: "/etc/passwd", want: "path_not_in_workspace: ..."},
		{name: "nothing", file: "", want: "invalid_tool_params: invalid params: file_path is empty"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := fileWorld(t)
			f, _, got := w.change(DeleteFile, `{"file_path":"`+c.file+`"}`)
			if !matches(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if f.Path != "" && (f.Op != ledger.Delete || f.New != "" || f.Path != w.path(c.file)) {
				t.Errorf("proposed %+v", f)
			}
		})
	}
}

func TestTheTextOfADeletedSecretIsHidden(t *testing.T) {
	w := fileWorld(t)
	if _, e, _ := w.change(DeleteFile, `{"file_path":".env"}`); len(e.Hidden) != 1 {
		t.Error("the result may quote .env")
	}
}
