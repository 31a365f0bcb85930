// A conversation with everything in it that can be shown.
const text = (text) => ({ type: 'text', text });
const usage = { inputTokens: 18_430, outputTokens: 1_204, cachedTokens: 9_000, thoughtTokens: 310, toolTokens: 0, totalTokens: 19_944, contextLimit: 1_000_000, cost: { amount: 0.0123, currency: 'USD', estimated: true } };

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

export const hunk = (id, state, line, oldText, newText) => ({ hunkId: id, state, range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } }, oldText, newText });

export const changeSet = {
  changeSetId: 'set',
  sessionId: 's',
  turnId: 't2',
  toolCallId: 'c2',
  title: 'Flush the rest',
  state: 'pending',
  version: 1,
  files: [
    {
      uri: 'file:///home/me/project/scan/lines.go',
      op: 'modify',
      openInEditor: true,
      diff: '--- a\n+++ b\n@@ -40,4 +40,4 @@\n \ti := bytes.IndexByte(s.rest, \'\\n\')\n-\tif i < 0 {\n+\tif i < 0 && len(s.rest) == 0 {\n \t\treturn false\n \t}\n',
      hunks: [hunk('h1', 'pending', 41, '\tif i < 0 {\n', '\tif i < 0 && len(s.rest) == 0 {\n')],
    },
    {
      uri: 'file:///home/me/project/scan/lines_test.go',
      op: 'create',
      openInEditor: false,
      diff: '--- /dev/null\n+++ b\n@@ -0,0 +1,3 @@\n+package scan\n+\n+func TestLast(t *testing.T) {}\n',
      hunks: [hunk('h2', 'pending', 0, '', 'package scan\n')],
    },
  ],
};

let seq = 0;
export const update = (turnId, update) => ({ sessionId: 's', seq: ++seq, turnId, update });
const call = (id, fields) => ({ sessionUpdate: 'tool_call', toolCallId: id, status: 'pending', ...fields });
const callUpdate = (id, fields) => ({ sessionUpdate: 'tool_call_update', toolCallId: id, ...fields });

export const updates = [
  update('t1', { sessionUpdate: 'user_message_chunk', messageId: 'p1', content: text('Why does the scanner lose the last line? Look at this file.') }),
  update('t1', { sessionUpdate: 'user_message_chunk', messageId: 'p1', content: { type: 'resource_link', uri: 'file:///home/me/project/scan/lines.go', name: 'lines.go' } }),
  update('t1', { sessionUpdate: 'agent_thought_chunk', messageId: 'm1', content: text('The scanner might *not* flush.'), _meta: { emendo: { subject: 'Reading the scanner' } } }),
  update('t1', call('c0', { title: 'scan/lines.go', kind: 'read' })),
  update('t1', callUpdate('c0', { status: 'completed', locations: [{ path: '/home/me/project/scan/lines.go', line: 1 }], _meta: { emendo: { state: 'success', durationMs: 12, summary: '120 lines' } } })),
  update('t1', call('c1', { title: 'go test ./scan/...', kind: 'execute' })),
  update('t1', callUpdate('c1', { status: 'failed', content: [{ type: 'content', content: text('```\n--- FAIL: TestLast (0.00s)\n    lines_test.go:12: got 1 line, want 2\nFAIL\n```') }], _meta: { emendo: { state: 'error', durationMs: 2340, exitCode: 1, rule: 'user: go test' } } })),
  update('t1', { sessionUpdate: 'agent_message_chunk', messageId: 'm2', content: text(answer) }),
  update('t1', { sessionUpdate: '_emendo/response_finished', reason: 'stop', usage, _meta: { emendo: { model: 'gemini-3-pro' } } }),
  update('t1', { sessionUpdate: '_emendo/turn_ended', stopReason: 'end_turn', usage, durationMs: 12_400, files: [{ uri: 'file:///home/me/project/scan/lines.go', added: 1, removed: 1 }] }),
  update('t2', { sessionUpdate: 'user_message_chunk', messageId: 'p2', content: text('Mend it, and add a test.') }),
  update('t2', { sessionUpdate: 'plan', entries: [
    { content: 'Flush the rest at the end', priority: 'high', status: 'completed' },
    { content: 'Add a test for it', priority: 'medium', status: 'in_progress' },
    { content: 'Run all tests', priority: 'low', status: 'pending' },
  ] }),
  update('t2', { sessionUpdate: 'notice', severity: 'warning', title: 'The model is busy.', description: 'Trying again in 4 s, attempt 2 of 5.', _meta: { emendo: { code: 'rate_limited' } } }),
  update('t2', call('c2', { title: 'Edit scan/lines.go', kind: 'edit' })),
  update('t2', callUpdate('c2', { _meta: { emendo: { state: 'awaiting_approval', changeSetId: 'set' } } })),
  update('t2', call('c3', { title: 'Look for other scanners', kind: 'other' })),
  update('t2', callUpdate('c3', { status: 'in_progress', _meta: { emendo: { state: 'executing' } } })),
  update('t2', call('c4', { title: "'Scanner' in **/*.go", kind: 'search', _meta: { emendo: { parentToolCallId: 'c3' } } })),
  update('t2', callUpdate('c4', { status: 'completed', content: [{ type: 'content', content: text('Found **4** matches in `scan/`.') }] })),
  update('t2', call('c5', { title: 'go test -race ./...', kind: 'execute' })),
  update('t2', callUpdate('c5', { status: 'in_progress', _meta: { emendo: { state: 'executing', outputDelta: 'ok  \texample.org/project\t0.31s\n' } } })),
  update('t2', callUpdate('c5', { _meta: { emendo: { outputDelta: 'ok  \texample.org/project/scan\t0.02s\n' } } })),
];

/** A session of many messages: turns with a prompt and an answer each. */
export function long(turns) {
  return Array.from({ length: turns }, (_, index) => [
    { sessionId: 's', seq: index * 3 + 1, turnId: `t${index}`, replay: true, update: { sessionUpdate: 'user_message_chunk', messageId: `p${index}`, content: text(`Question ${index}: why does the scanner lose the last line?`) } },
    { sessionId: 's', seq: index * 3 + 2, turnId: `t${index}`, replay: true, update: { sessionUpdate: 'agent_message_chunk', messageId: `m${index}`, content: text(answer) } },
    { sessionId: 's', seq: index * 3 + 3, turnId: `t${index}`, replay: true, update: { sessionUpdate: '_emendo/turn_ended', stopReason: 'end_turn', usage, durationMs: 1000 } },
  ]).flat();
}

export { answer, usage };
export const session = { sessionId: 's', title: 'The last line', cwd: '/home/me/project', roots: [], createdAt: '', updatedAt: '', model: 'auto', mode: 'default', turns: 2, usage };
