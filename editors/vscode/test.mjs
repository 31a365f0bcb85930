// Runs the unit tests, src/**/*.test.ts and view/**/*.test.ts, or those that are
// named: each is bundled, since Node does not know TypeScript, and run by node:test.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const named = process.argv.slice(2);
const tests = ['src', 'view'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => /\.test\.tsx?$/.test(name)),
);
const outdir = 'dist/test';
rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: named.length > 0 ? named : tests,
  outdir,
  outbase: '.',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  packages: 'external',
  external: ['vscode'],
  outExtension: { '.js': '.mjs' },
  sourcemap: 'inline',
  logLevel: 'warning',
});
const bundles = readdirSync(outdir, { recursive: true })
  .map((name) => join(outdir, name))
  .filter((name) => name.endsWith('.test.mjs'));
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...bundles], { stdio: 'inherit' });
process.exitCode = status ?? 1;
