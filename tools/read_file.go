package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Limits of what one call shows; the figures are Gemini CLI's.
const (
	readLines  = 2000 // lines, unless the call has an end
	readColumn = 2000 // characters of a line
)

// ReadFile is the tool that reads a file.
var ReadFile = Declare(Spec{
	Name: "read_file", Display: "ReadFile", Kind: Read, Aliases: []string{"Read", "read", "view_file", "open_file", "cat"}, Synonyms: readSynonyms, Adapt: adaptLines,
	Similar: []string{"read", "cat", "view", "viewfile", "openfile", "readmanyfiles"}, FormerNames: []string{"ReadFileTool"}, ClaudeNames: []string{"Read"}, EditorCommands: []string{"view"},
	Investigates: true,
}, pages, NewParams[readFileArgs](), prepareReadFile)

// readSynonyms are the names that models give the arguments.
var readSynonyms = withSynonyms(filePathSynonyms, map[string]string{
	"start_line_one_indexed": "start_line", "end_line_one_indexed_inclusive": "end_line",
	"startLine": "start_line", "endLine": "end_line", "line_start": "start_line", "line_end": "end_line",
})

type readFileArgs struct {
	FilePath  string `json:"file_path" jsonschema:"Path, absolute or relative to the session folder."`
	StartLine *int   `json:"start_line,omitempty" min:"1" jsonschema:"First line, counted from 1."`
	EndLine   *int   `json:"end_line,omitempty" min:"1" jsonschema:"Last line, inclusive."`
	NoIgnore  bool   `json:"no_ignore,omitempty" jsonschema:"Also read what .gitignore excludes."`
}

// lineRange returns the lines that the arguments ask for. Zero means not given.
func (a readFileArgs) lineRange() (start, end int, err error) {
	if a.StartLine != nil {
		start = *a.StartLine
	}
	if a.EndLine != nil {
		end = *a.EndLine
	}
	if end > 0 && start > end {
		return 0, 0, Errorf(InvalidParams, "invalid params: start_line %d is after end_line %d", start, end)
	}
	return start, end, nil
}

func prepareReadFile(ctx context.Context, env Env, args readFileArgs) (Action, error) {
	start, end, err := args.lineRange()
	if err != nil {
		return Action{}, err
	}
	title := "Read " + Shown(args.FilePath)
	switch {
	case end > 0:
		title += fmt.Sprintf(", lines %d-%d", max(start, 1), end)
	case start > 0:
		title += fmt.Sprintf(", from line %d", start)
	}
	if d := virtual(env, args.FilePath); d != nil {
		return Action{Title: title, Effect: Reads{}, Run: func(context.Context, func(Progress)) Result {
			return readText(d.Text, args.FilePath, start, end)
		}}, nil
	}
	if isOutput(env, args.FilePath) {
		env.Snapshot = env.Snapshot.Within(env.Outputs)
	}
	if isPlan(env, args.FilePath) {
		env.Snapshot = env.Snapshot.Within(env.Plans)
	}
	p, err := Resolve(env, "file_path", args.FilePath)
	if err != nil {
		return Action{}, err
	}
	if err := Hidden(ctx, env, p, args.FilePath, args.NoIgnore); err != nil {
		return Action{}, err
	}
	effect := Reads{Paths: []string{p.Abs}, Given: []string{Absolute(env, args.FilePath)}}
	a := Action{Title: title, Locations: []Location{{p.Abs, start}}}
	if d := env.Snapshot.Current(ctx, p.Abs); d != nil {
		effect.Key = secret.Held(p.Abs, []byte(d.Text.String()))
		a.Run = func(context.Context, func(Progress)) Result {
			return env.noteProposed(readText(d.Text, env.Near(p.Abs), start, end), p.Abs)
		}
	} else {
		if err := regular(ctx, env, p, args.FilePath); err != nil {
			return Action{}, err
		}
		data, err := env.Snapshot.Tree().ReadBytes(ctx, p, disk.ReadLimit)
		if err != nil {
			return Action{}, DiskError("read", args.FilePath, err)
		}
		effect.Key = secret.Held(p.Abs, data)
		// Show the data that the decision was based on.
		a.Run = func(ctx context.Context, _ func(Progress)) Result {
			if err := context.Cause(ctx); err != nil {
				return Result{Err: DiskError("read", args.FilePath, err)}
			}
			return readData(env, p, data, start, end)
		}
	}
	a.Effect = effect
	return a, nil
}

// isOutput reports whether a path names an output of this session that was saved
// because it was too long.
func isOutput(env Env, name string) bool {
	return env.Outputs != nil && filepath.IsAbs(name) && env.Outputs.Contains(name)
}

// virtual returns the open document that a URI names if it has no file, such as a
// text that was never saved.
func virtual(env Env, name string) *ide.Document {
	if d := env.Snapshot.Document(ide.ParseURI(name)); d != nil && d.Path == "" {
		return d
	}
	return nil
}

// regular returns an error if p cannot be read from disk, as far as can be known
// without opening it.
func regular(ctx context.Context, env Env, p disk.Path, name string) error {
	info, err := env.Snapshot.Tree().Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist), env.Snapshot.Gone(p.Abs):
		return absent(ctx, env, "read", name, p)
	case err != nil:
	case info.IsDir():
		err = disk.ErrIsDir
	case !info.Mode().IsRegular():
		err = disk.ErrNotFile
	case info.Size() > disk.ReadLimit:
		err = disk.ErrTooLarge
	}
	if err != nil {
		return DiskError("read", name, err)
	}
	return nil
}

// readData shows the content of a file on disk.
func readData(env Env, p disk.Path, data []byte, start, end int) Result {
	name := env.Near(p.Abs)
	if mime := Media(p.Rel, data); mime != "" {
		if start > 0 || end > 0 {
			return Result{Err: Errorf(InvalidParams, "invalid params: %s is %s and has no lines; omit start_line and end_line", Shown(name), mime)}
		}
		return Result{
			Output:  fmt.Sprintf("%s (%s, %d bytes) is attached.", Shown(name), mime, len(data)),
			Summary: fmt.Sprintf("Read %s (%s, %d bytes)", Shown(name), mime, len(data)),
			Blobs:   []Blob{{mime, data}},
		}
	}
	text, format, err := disk.DecodeFile(p.Abs, data)
	if err != nil {
		return Result{Err: DiskError("read", name, err)}
	}
	r := readText(ide.NewText(text), name, start, end)
	if note := EncodingNote(format); note != "" && r.Err == nil {
		r.Output = note + "\n" + r.Output
	}
	return r
}

// EncodingNote returns what the model is told about the encoding of a file, in a line
// without its end; empty for one that needs no word.
func EncodingNote(f disk.Format) string {
	var note string
	switch {
	case f.Guessed():
		note = fmt.Sprintf("[Encoding: %s, as far as the bytes show; edits are written in it.", f.Encoding)
	case f.Bad:
		note = "[Encoding: UTF-8."
	default:
		return ""
	}
	if f.Bad {
		note += " Bytes that are wrong in it are shown as the characters U+10FE80 to U+10FEFF, and stay as they are where an edit keeps these."
	}
	return note + "]"
}

// readText shows the lines from start to end. Zero means not given.
func readText(text *ide.Text, name string, start, end int) Result {
	name = Shown(name)
	total := textLines(text)
	first := max(start, 1)
	switch {
	case total == 0 && first == 1:
		return Result{Output: fmt.Sprintf("[%s is empty.]", name), Summary: name + " is empty"}
	case first > total:
		return Result{Err: Errorf(InvalidParams, "invalid params: start_line %d is past the end: %s has %s", first, name, Count(total, "line", "lines"))}
	}
	last := end
	if last == 0 {
		last = first + readLines - 1
	}
	last = min(last, total)

	var body Lines
	next, cut := first, 0
	for next <= last {
		line, whole := visible.Clip(withoutLineEnd(text.Line(next-1)), readColumn)
		if !body.Add(line) {
			break
		}
		if !whole {
			cut++
		}
		next++
	}
	content := body.String()
	if next > total && text.Line(total-1) == withoutLineEnd(text.Line(total-1)) {
		content = strings.TrimSuffix(content, "\n") // neither has the file
	}
	whole := first == 1 && next > total
	if whole && cut == 0 {
		return Result{Output: content, Summary: fmt.Sprintf("Read %s from %s", Count(total, "line", "lines"), name)}
	}

	var note strings.Builder
	fmt.Fprintf(&note, "[Lines %d-%d of %d.", first, next-1, total)
	if next <= last || end == 0 && next <= total {
		fmt.Fprintf(&note, " To continue, call read_file with start_line %d.", next)
	}
	if cut > 0 {
		fmt.Fprintf(&note, " %s longer than %d characters %s cut.", Count(cut, "line", "lines"), readColumn, plural(cut, "is", "are"))
	}
	note.WriteString(" The content follows.]\n")
	return Result{
		Output:  note.String() + content,
		Summary: fmt.Sprintf("Read lines %d-%d of %d from %s", first, next-1, total, name),
	}
}

// textLines counts lines as editors show them: the end of the last line does not
// begin another one.
func textLines(t *ide.Text) int {
	n := t.Lines()
	if t.Line(n-1) == "" {
		n--
	}
	return n
}

// withoutLineEnd returns a line without its end.
func withoutLineEnd(line string) string {
	line = strings.TrimSuffix(line, "\n")
	return strings.TrimSuffix(line, "\r")
}

// Media returns the MIME type of a file that is sent to the model as it is: an
// image, a PDF, audio or video. It is empty for any other file. Text stays text
// whatever its name: a Git LFS pointer is not an image.
func Media(name string, data []byte) string {
	ext := strings.ToLower(path.Ext(name))
	if ext == ".pdf" && bytes.HasPrefix(data, []byte("%PDF-")) {
		return "application/pdf"
	}
	if _, _, err := disk.Decode(data); err == nil {
		return ""
	}
	switch t := http.DetectContentType(data); {
	case t == "application/pdf":
		return t
	case t == "application/ogg":
		return "audio/ogg"
	case t == "audio/wave":
		return "audio/wav"
	case t == "image/x-icon":
		return ""
	case strings.HasPrefix(t, "image/"), strings.HasPrefix(t, "audio/"), strings.HasPrefix(t, "video/"):
		return t
	}
	return mediaTypes[ext]
}

// mediaTypes are the types that net/http does not detect.
var mediaTypes = map[string]string{
	".heic": "image/heic",
	".heif": "image/heif",
	".avif": "image/avif",
	".mp3":  "audio/mpeg",
	".aac":  "audio/aac",
	".flac": "audio/flac",
	".m4a":  "audio/mp4",
	".mov":  "video/quicktime",
	".mpg":  "video/mpeg",
	".mpeg": "video/mpeg",
}
