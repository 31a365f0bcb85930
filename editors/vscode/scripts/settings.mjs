// Writes the settings of the server into package.json and package.nls.json, from
// docs/settings.schema.json. With --check it writes nothing, and fails if they
// are not in step.
import { readFile, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const generatedId = 'emendo.server.'; // what the IDs of generated categories begin with
const generatedText = 'server.'; // and the keys of generated texts
const documentation = 'https://github.com/emendo-dev/emendo/blob/main/docs/';

// The categories, by the first part of a setting's name; others get their own.
const categories = {
  model: 'Model',
  modelConfigs: 'Model',
  general: 'General',
  useWriteTodos: 'General',
  tools: 'Tools',
  context: 'Context',
  contextManagement: 'Context',
  hooks: 'Hooks',
  hooksConfig: 'Hooks',
  mcp: 'MCP Servers',
  mcpServers: 'MCP Servers',
  security: 'Security',
};

/** Returns the settings below a group of the schema, as [name, schema]. */
function* settingsIn(group, prefix = '') {
  for (const [name, value] of Object.entries(group.properties)) {
    if (name === '$schema') {
      continue;
    }
    if (value.description === undefined) {
      yield* settingsIn(value, `${prefix}${name}.`);
    } else {
      yield [prefix + name, value];
    }
  }
}

/**
 * A project may set what is not the user's alone, and so may a workspace. The
 * user's own settings hold in remote windows too, where those of the scope
 * `machine` would have to be set again.
 */
function property(name, { description, 'x-scope': scope, ...schema }) {
  return {
    ...schema,
    default: schema.default ?? (schema.type === 'array' ? [] : {}),
    scope: scope === 'user' ? 'application' : 'window',
    markdownDescription: `%${generatedText}${name}%`,
  };
}

function titleOf(name) {
  const first = name.split('.')[0];
  return categories[first] ?? first[0].toUpperCase() + first.slice(1).replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
}

/** Makes links between pages of the documentation, and names of settings, work in VS Code. */
function text(description) {
  return description
    .replace(/\]\(([\w-]+\.md(?:#[\w-]+)?)\)/g, `](${documentation}$1)`)
    .replace(/`([\w.]+)`/g, (whole, name) => (names.has(name) ? `\`#emendo.${name}#\`` : whole));
}

const read = async (name) => JSON.parse(await readFile(new URL(name, root), 'utf8'));
const schema = await read('../../docs/settings.schema.json');
const names = new Set([...settingsIn(schema)].map(([name]) => name));
const manifest = await read('package.json');
const texts = await read('package.nls.json');

const generated = new Map();
const generatedTexts = {};
for (const [name, value] of settingsIn(schema)) {
  const title = titleOf(name);
  const category = generated.get(title) ?? { id: generatedId + title.toLowerCase().replaceAll(' ', '-'), title, properties: {} };
  category.properties[`emendo.${name}`] = property(name, value);
  generated.set(title, category);
  generatedTexts[generatedText + name] = text(value.description);
}
manifest.contributes.configuration = [
  ...manifest.contributes.configuration.filter(({ id }) => !id.startsWith(generatedId)),
  ...generated.values(),
];
const own = Object.fromEntries(Object.entries(texts).filter(([key]) => !key.startsWith(generatedText)));

let stale = false;
for (const [name, value] of [['package.json', manifest], ['package.nls.json', { ...own, ...generatedTexts }]]) {
  const file = new URL(name, root);
  const want = JSON.stringify(value, null, 2) + '\n';
  if ((await readFile(file, 'utf8')) === want) {
    continue;
  }
  if (process.argv.includes('--check')) {
    console.error(`${name} is not in step with docs/settings.schema.json: run npm run settings`);
    stale = true;
  } else {
    await writeFile(file, want);
  }
}
process.exit(stale ? 1 : 0);
