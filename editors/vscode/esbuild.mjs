// Bundles the extension and its view into dist. --watch builds again after every
// change, --production makes what is shipped.
import { context } from 'esbuild';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { writeNotices } from './scripts/notices.mjs';

const production = process.argv.includes('--production');
const common = {
  bundle: true,
  metafile: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  define: { 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
};

// What starts with VS Code is one small file; the language client, which takes
// longer to load than all of it, is another that is loaded when the server starts.
const host = {
  ...common,
  entryPoints: { extension: 'src/extension.ts', client: 'src/server/client.ts' },
  outdir: 'dist',
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
};

const view = {
  ...common,
  entryPoints: { view: 'view/main.tsx' },
  outdir: 'dist/view',
  platform: 'browser',
  format: 'esm',
  target: 'chrome120',
  splitting: true, // highlighting and languages are loaded when code is shown
  loader: { '.ttf': 'file' },
};

if (production) {
  rmSync('dist', { recursive: true, force: true }); // what is there is packaged
}
mkdirSync('dist', { recursive: true });
cpSync('../../LICENSE', 'LICENSE');
const inputs = [];
for (const options of [host, view]) {
  const build = await context(options);
  if (process.argv.includes('--watch')) {
    await build.watch();
  } else {
    const { metafile } = await build.rebuild();
    inputs.push(...Object.keys(metafile.inputs));
    await build.dispose();
  }
}
if (production) {
  writeNotices('THIRD_PARTY_NOTICES.txt', inputs);
}
