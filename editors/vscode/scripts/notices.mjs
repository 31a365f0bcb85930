// Collects the licenses of what is shipped: the packages in the bundles, and the
// modules in the program.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const go = process.env.GO || 'go';

/** Writes the notices. inputs are the paths of all files in the bundles, as esbuild names them. */
export function writeNotices(path, inputs) {
  const parts = [...packages(inputs), ...modules()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  const missing = parts.filter(({ text }) => text === '').map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error(`no license is found for ${missing.join(', ')}`);
  }
  const rule = '-'.repeat(80);
  writeFileSync(path, parts.map(({ name, version, text }) => `${rule}\n${name} ${version}\n\n${text.trim()}\n`).join('\n'));
}

function packages(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []));
  return [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { name, version, text: licenses(folder) || (license ? `License: ${license}` : '') };
  });
}

function modules() {
  const format = '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}';
  const lines = execFileSync(go, ['list', '-deps', '-f', format, './cmd/emendo'], { cwd: '../..', encoding: 'utf8' }).split('\n');
  const [version, root] = execFileSync(go, ['env', 'GOVERSION', 'GOROOT'], { encoding: 'utf8' }).trim().split('\n');
  return [
    { name: 'Go', version, text: licenses(root) || 'License: BSD-3-Clause, https://go.dev/LICENSE' },
    ...[...new Set(lines)].filter((line) => line !== '').map((line) => {
      const [name, version, folder] = line.split(' ');
      return { name, version, text: licenses(folder) };
    }),
  ];
}

/** The license texts in a folder. */
function licenses(folder) {
  return readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name) && !/\.(js|ts|go)$/.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
    .join('\n\n');
}
