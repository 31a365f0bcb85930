// Draws media/icon.png, which the marketplace wants, from media/icon.svg.
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { readFile, writeFile } from 'node:fs/promises';

const media = new URL('../media/', import.meta.url);
await initWasm(readFile(new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))));
const drawn = new Resvg(await readFile(new URL('icon.svg', media), 'utf8'), { fitTo: { mode: 'width', value: 256 } });
await writeFile(new URL('icon.png', media), drawn.render().asPng());
