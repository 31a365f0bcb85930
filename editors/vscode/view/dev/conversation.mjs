// A conversation with everything in it that can be shown.

const answer = `The parser drops the **last line** when a file does not end with a line ending: see \`scan/lines.go:42\` and [the test](scan/lines_test.go#L10-L18).

## What happens

1. \`Scanner.Next\` looks for \`\\n\`
2. It returns \`false\` before the rest is flushed
   - also for empty files
   - [ ] to be tested
   - [x] known

| case | before | after |
| --- | :-: | ---: |
| \`"a\\nb"\` | 1 | 2 |
| \`""\` | 0 | 0 |

\`\`\`go
// Next reports whether there is another line.
func (s *Scanner) Next() bool {
	i := bytes.IndexByte(s.rest, '\\n')
	if i < 0 && len(s.rest) == 0 {
		return false // nothing is left
	}
	s.line, s.rest = cut(s.rest, i)
	return true
}
\`\`\`

> It costs nothing: the buffer is there already.

See https://pkg.go.dev/bufio#Scanner for how the standard library does it.`;

const says = (text, more = {}) => ({ text, ...more });
const verb = (id, title) => ({ id, title: says(title), look: id });
export const verbs = [verb('stop', 'Stop'), verb('copy', 'Copy as Markdown'), verb('edit', 'Edit'), verb('back', 'Go back to before this prompt'), verb('fork', 'Copy the conversation up to here'), verb('up', 'Move up'), verb('down', 'Move down'), verb('remove', 'Remove'), verb('compact', 'Shorten the history for the model')];
const turnActions = ['copy', { id: 'edit', title: says('Edit and send again') }, 'back', 'fork'];
const facts = [
  { id: 'time', text: says('12.4 s') },
  { id: 'tokens', text: says('18.4K in, 1.5K out') },
  { id: 'cost', text: says('about 0.0123 USD') },
  { id: 'model', text: says('gemini-3-pro') },
];
const path = (name) => says(name, { short: name.split('/').at(-1) });
const place = (name) => ({ uri: `file:///home/me/project/${name}` });
const below = (parent, kind, id, more) => ({ id, parent, kind, title: says(''), ...more });
export const prompt = (turn, id, text, more = {}) => below(turn, 'user', id, { parts: [{ kind: 'text', text }], ...more });
export const answered = (turn, id, text, state = 'done') => below(turn, 'answer', id, { state, parts: [{ kind: 'markdown', text }] });

/** A file that a call changes, as its line and as its part say it. */
const changed = (n, path, op, label, counts) => ({ id: 'file', look: op, text: says(label, { short: counts }), place: place(path), action: { id: `diff:${n}`, title: says(`Show the diff of ${path.split('/').at(-1)}`), look: 'diff' } });
const diff = ({ text, place }, ...rows) => ({ kind: 'diff', label: text, place, rows });
const files = [changed(0, 'scan/lines.go', 'modify', 'scan/lines.go +1 −1', '+1 −1'), changed(1, 'scan/lines_test.go', 'create', 'scan/lines_test.go (new) +3', '+3 −0')];
const edits = {
  lines: [...files, { id: 'edits', look: 'pending', text: says('2 edits to review') }],
  parts: [
    diff(files[0], ['=', "\ti := bytes.IndexByte(s.rest, '\\n')"], ['-', '\tif i < 0 {'], ['+', '\tif i < 0 && len(s.rest) == 0 {'], ['=', '\t\treturn false'], ['=', '\t}']),
    diff(files[1], ['+', 'package scan'], ['+', ''], ['+', 'func TestLast(t *testing.T) {}']),
  ],
  actions: [verb('diff', 'Show the diff'), verb('review', 'Review'), verb('accept', 'Accept all 2'), verb('reject', 'Reject all 2')],
};

export const items = [
  { id: 't1', kind: 'turn', state: 'done', title: says('Done', { code: 'turn.done' }), lines: [{ id: 'file', look: 'file', place: place('scan/lines.go'), text: says('scan/lines.go +1 −1', { short: '+1 −1', args: { path: 'scan/lines.go' } }) }, ...facts], actions: turnActions },
  prompt('t1', 'p1', 'Why does the scanner lose the last line? Look at this file.', { lines: [{ id: 'chip', look: 'file', text: path('scan/lines.go'), place: place('scan/lines.go') }] }),
  below('t1', 'thought', 'm1/t1', { state: 'done', title: says('Reading the scanner'), parts: [{ kind: 'markdown', text: 'The scanner might *not* flush.' }] }),
  below('t1', 'call', 'c0', { state: 'done', look: 'read', title: says('scan/lines.go'), note: says('120 lines'), lines: [{ id: 'place', look: 'file', text: path('scan/lines.go:1'), place: place('scan/lines.go') }] }),
  below('t1', 'call', 'c1', {
    state: 'failed',
    look: 'execute',
    title: says('go test ./scan/...'),
    note: says('exit 1', { code: 'call.exit' }),
    lines: [{ id: 'rule', label: says('Rule'), text: says('user: go test') }, { id: 'time', text: says('2.3 s') }],
    parts: [{ kind: 'output', text: '--- FAIL: TestLast (0.00s)\n    lines_test.go:12: got 1 line, want 2\nFAIL\n' }],
  }),
  answered('t1', 'm2/1', answer),
  { id: 't2', kind: 'turn', state: 'running', title: says('go test -race ./...'), actions: ['stop'] },
  prompt('t2', 'p2', 'Mend it, and add a test.'),
  below('t2', 'plan', 't2/plan0', {
    state: 'running',
    title: says('1 of 3 · Add a test for it', { short: '1 of 3' }),
    lines: [
      { text: says('Flush the rest at the end'), state: 'done', look: 'high' },
      { text: says('Add a test for it'), state: 'running' },
      { text: says('Run all tests'), state: 'waiting' },
    ],
  }),
  below('t2', 'notice', 't2/n1', { look: 'warning', title: says('The model is busy.'), parts: [{ kind: 'text', text: 'Trying again in 4 s, attempt 2 of 5.' }], actions: [{ id: 'model', title: says('Choose another model'), steps: [{ client: 'model' }] }] }),
  below('t2', 'call', 'c2', { state: 'asks', look: 'edit', title: says('Edit scan/lines.go'), note: says('waits for your answer'), ...edits }),
  below('t2', 'call', 'c3', { state: 'running', look: 'other', title: says('Look for other scanners'), note: says('1 call'), actions: ['stop'] }),
  below('c3', 'call', 'c4', { state: 'done', look: 'search', title: says("'Scanner' in **/*.go"), parts: [{ kind: 'markdown', text: 'Found **4** matches in `scan/`.' }] }),
  below('t2', 'call', 'c5', { state: 'running', look: 'execute', title: says('go test -race ./...'), parts: [{ kind: 'output', text: 'ok  \texample.org/project\t0.31s\nok  \texample.org/project/scan\t0.02s\n' }], actions: ['stop'] }),
  { id: 'q1', kind: 'queued', state: 'waiting', title: says('And then commit it.'), note: says('Next'), parts: [{ kind: 'text', text: 'And then commit it.' }], actions: ['edit', 'remove'] },
];

/** A session of many messages: turns with a prompt and an answer each. */
export function long(turns) {
  return Array.from({ length: turns }, (_, index) => [
    { id: `t${index}`, kind: 'turn', state: 'done', title: says('Done', { code: 'turn.done' }), lines: facts, actions: turnActions },
    prompt(`t${index}`, `p${index}`, `Question ${index}: why does the scanner lose the last line?`),
    answered(`t${index}`, `m${index}/1`, answer),
  ]).flat();
}

/** The server's answer to emendo/view/get. */
export const viewOf = (items, more = {}) => ({ sessionId: 's', version: 1, session, status: { id: 'status', kind: 'status', title: says('Ready'), lines: [{ id: 'context', label: says('Context'), share: 0.18, text: says('18.4K of 1M tokens (2 %)') }], actions: ['compact', 'copy'] }, items, questions: [], hunks: [], verbs, ...more });

const usage = { inputTokens: 18_430, outputTokens: 1_204, cachedTokens: 9_000, thoughtTokens: 310, toolTokens: 0, totalTokens: 19_944, contextLimit: 1_000_000 };
export { answer };
export const session = { sessionId: 's', title: 'The last line', cwd: '/home/me/project', roots: [], createdAt: '', updatedAt: '', model: 'auto', mode: 'default', turns: 2, usage };

const door = (id, title) => ({ id, title: says(title), look: id, steps: [{ client: id }] });
const suggestion = (look, title) => ({ id: 'suggestion', look, text: says(title), action: { id: `suggest_${look}`, title: says(title), look, steps: [{ compose: title }] } });

/** The window before a conversation begins, without a key and in a folder that is not trusted. */
export const windowOf = {
  version: 1,
  status: { id: 'status', kind: 'status', title: says('Ready') },
  items: [
    { id: 'obstacle/signed_out', kind: 'notice', look: 'info', title: says('Sign in to begin'), parts: [{ kind: 'text', text: 'No model can be asked yet. A key of Google AI Studio is free to get.' }], actions: [door('signIn', 'Sign in'), door('model', 'Choose another model')] },
    { id: 'obstacle/restricted', kind: 'notice', look: 'warning', title: says('Restricted mode'), parts: [{ kind: 'text', text: 'emendo reads me/project and proposes edits. It runs nothing until you trust this folder.' }], actions: [door('trust', 'Trust this folder')] },
    {
      id: 'welcome',
      kind: 'welcome',
      title: says('What do you want to do?'),
      parts: [{ kind: 'text', text: 'emendo sees what your editor sees. It answers questions, and proposes edits that you accept one by one.' }],
      lines: [suggestion('project', 'Explain this project'), suggestion('bug', 'Find a likely bug'), suggestion('changes', 'Review my changes'), { id: 'folder', look: 'folder', label: says('Folder'), text: says('me/project') }],
    },
  ],
  questions: [],
  verbs: [],
};
