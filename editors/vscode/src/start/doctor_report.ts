import { words } from '../shared/words';

/** What `emendo doctor --json` prints. */
export interface Report {
  version: string;
  usable: boolean;
  checks: { name: string; status: 'ok' | 'warning' | 'failure'; message: string; fix?: string }[];
}

/** Facts about VS Code's side, in the order in which they are shown. */
export type Facts = [name: string, value: string][];

const marks = { ok: '✓', warning: '!', failure: '✗' };

/** Reads what the program printed; undefined when that is no report. */
export function readReport(printed: string): Report | undefined {
  try {
    const report = JSON.parse(printed) as Report;
    return Array.isArray(report.checks) ? report : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what a report says in VS Code, which is the editor, and whose workspace trust counts. */
export function inVsCode(report: Report, trusted: boolean, t: (text: string) => string): Report {
  const trust = trusted ? { status: 'ok' as const, message: t(words.reportTrusted) } : { status: 'warning' as const, message: t(words.reportRestricted) };
  const checks = report.checks.filter(({ name }) => name !== 'editors').map((check) => (check.name === 'trust' ? { name: 'trust', ...trust } : check));
  return { ...report, checks };
}

/** Returns a report as Markdown: failures first, each with its fix. */
export function reportMarkdown(report: Report, facts: Facts): string {
  const order = ['failure', 'warning', 'ok'];
  const checks = [...report.checks].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return [
    words.reportTitle,
    '',
    report.usable ? words.reportUsable : words.reportUnusable,
    '',
    words.reportColumns,
    '| --- | --- | --- |',
    ...checks.map(({ name, status, message, fix }) => {
      const found = cell(message) + (fix && status !== 'ok' ? `<br>**Fix:** ${cell(fix)}` : '');
      return `| ${marks[status] ?? '?'} | ${cell(name)} | ${found} |`;
    }),
    '',
    '## VS Code',
    '',
    '| | |',
    '| --- | --- |',
    ...[...facts, ['emendo', report.version] as const].map(([name, value]) => `| ${cell(name)} | ${cell(value)} |`),
    '',
  ].join('\n');
}

/** Makes a text one that cannot end its cell, and that is shown as it is. */
function cell(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`|*_[\]#~]/g, '\\$&')
    .replace(/\s*\n\s*/g, '<br>');
}
