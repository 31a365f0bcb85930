/**
 * What the tests need before they start: programs, packages, and an installed
 * copy of both extensions. All of it is built into .build, from this clone.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = resolve(fileURLToPath(import.meta.url), '../../../..');
const extension = join(repository, 'editors/vscode');
const build = join(repository, '.build/e2e');

/** Where pictures for the docs are stored; the tests always take them, and `make pictures` keeps them. */
export const pictures = process.env['EMENDO_PICTURES'] ?? join(build, 'pictures');
/** Where pictures and data about failures are stored. */
export const shots = process.env['EMENDO_SHOTS'] ?? join(build, 'shots');
export const failures = join(build, 'failures');
/** The figures that the last run measured. */
export const measured = join(build, 'measured.json');

/** The programs and packages of a run. */
export interface Places {
  codeServer: string;
  chromium: string;
  model: string;
  /** The folder with both extensions installed from their packages. */
  extensions: string;
  /** The emendo in the extension. */
  program: string;
}

/** How long an outdated installed copy is kept, in milliseconds. */
const day = 24 * 60 * 60 * 1000;

let made: Places | undefined;

/** Builds and installs what is missing. The first call takes some seconds. */
export function places(): Places {
  if (!made) {
    mkdirSync(build, { recursive: true });
    const codeServer = printed('editors/install-code-server.sh');
    const extensions = installed(codeServer, [process.env['EMENDO_VSIX'] ?? packaged(), companion()]);
    const ours = readdirSync(extensions).find((name) => /^emendo\.emendo-\d/.test(name))!;
    made = {
      codeServer,
      chromium: printed('editors/install-chromium.sh'),
      model: buildModel(),
      extensions,
      program: join(extensions, ours, 'bin/emendo'),
    };
  }
  return made;
}

/** The last line that a script of the repository prints. */
function printed(script: string, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(join(repository, script), args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) {
    throw new Error(`${script} failed:\n${stderr}`);
  }
  return stdout.trim().split('\n').at(-1)!;
}

/** The extension's package for this machine, rebuilt if its sources are newer. */
function packaged(): string {
  const platform = `linux-${process.arch}`;
  const name = join(repository, `.build/vsix/emendo-${platform}.vsix`);
  const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: repository, encoding: 'utf8' })
    .split('\n')
    .filter((path) => /^editors\/vscode\/(?!e2e\/)|^go\.(mod|sum)$|^(?!editors\/).*\.(go|md|json)$/.test(path) && !path.endsWith('_test.go'))
    .map((path) => join(repository, path))
    .filter((path) => existsSync(path));
  const changed = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  return existsSync(name) && statSync(name).mtimeMs > changed ? name : printed('editors/build-vsix.sh', platform);
}

function buildModel(): string {
  const program = join(build, 'model');
  // The same libraries are compiled once if it is built as the program is.
  const env = { ...process.env, CGO_ENABLED: '0' };
  execFileSync('go', ['build', '-trimpath', '-o', program, './editors/vscode/e2e/modeltest'], { cwd: repository, env, stdio: 'inherit' });
  return program;
}

/** The package of the tests' own extension. */
function companion(): string {
  const folder = join(extension, 'e2e/companion');
  const name = join(build, `companion-${digest(readdirSync(folder).map((name) => join(folder, name)))}.vsix`);
  if (!existsSync(name)) {
    const vsce = join(extension, 'node_modules/@vscode/vsce/vsce');
    const args = ['package', '--no-dependencies', '--allow-star-activation', '--allow-missing-repository', '--skip-license', '--out', `${name}.new`];
    execFileSync(process.execPath, [vsce, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(`${name}.new`, name);
  }
  return name;
}

/**
 * A folder of extensions made from packages by code-server itself. It is made
 * once for each content of them: profiles are empty, installing again would only
 * take time.
 */
function installed(codeServer: string, packages: string[]): string {
  const folder = join(build, `extensions-${digest(packages)}`);
  const mark = join(folder, '.complete');
  if (existsSync(mark)) {
    return folder;
  }
  for (const name of readdirSync(build).filter((name) => name.startsWith('extensions-'))) {
    const old = join(build, name);
    if (Date.now() - statSync(old).mtimeMs > day) {
      rmSync(old, { recursive: true, force: true }); // a younger one may be in use
    }
  }
  rmSync(folder, { recursive: true, force: true }); // what an installation left that was interrupted
  const data = join(build, 'install-data');
  const config = join(build, 'install.yaml');
  writeFileSync(config, 'auth: none\ncert: false\n');
  const install = packages.flatMap((name) => ['--install-extension', name]);
  const args = ['--config', config, '--user-data-dir', data, '--extensions-dir', folder, ...install];
  execFileSync(codeServer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(mark, '');
  return folder;
}

function digest(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(readFileSync(file, 'latin1'), 'latin1');
  }
  return hash.digest('hex').slice(0, 12);
}
