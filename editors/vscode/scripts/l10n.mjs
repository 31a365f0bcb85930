// Writes l10n/bundle.l10n.json: the English texts that translations translate: the
// sentences of src/shared/words.ts, and short ones where they are used, in the
// extension, vscode.l10n.t('…'), and in the view, t('…'). It is made for each
// package, and not kept.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import ts from 'typescript';

const root = new URL('../', import.meta.url);

/** Returns the sentences of the file of words, and the first arguments of calls that translate, of a source file. */
function texts(name, source) {
  const found = [];
  const visit = (node) => {
    if (name.endsWith('words.ts') && ts.isPropertyAssignment(node) && ts.isStringLiteralLike(node.initializer)) {
      found.push(node.initializer.text);
    } else if (ts.isCallExpression(node) && /^(?:(?:vscode\.)?l10n\.)?t$/.test(node.expression.getText())) {
      const text = node.arguments[0];
      if (text && ts.isStringLiteralLike(text)) {
        found.push(text.text);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS));
  return found;
}

const all = new Set();
for (const folder of ['src', 'view']) {
  const names = (await readdir(new URL(folder, root), { recursive: true })).filter((name) => /\.tsx?$/.test(name) && !/\.test\./.test(name));
  for (const name of names) {
    const source = await readFile(new URL(`${folder}/${name}`, root), 'utf8');
    texts(name, source).forEach((text) => all.add(text));
  }
}
await mkdir(new URL('l10n/', root), { recursive: true });
const bundle = Object.fromEntries([...all].sort().map((text) => [text, text]));
await writeFile(new URL('l10n/bundle.l10n.json', root), JSON.stringify(bundle, null, 2) + '\n');
