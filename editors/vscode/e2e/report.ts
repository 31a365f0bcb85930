/** Measurements: figures are reported, and never fail a test. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { measured } from './places.ts';

/** Reports a figure beside its goal, on the terminal and in a file. */
export function report(name: string, value: number, unit: string, goal: number): void {
  const all = existsSync(measured) ? (JSON.parse(readFileSync(measured, 'utf8')) as Record<string, unknown>) : {};
  const rounded = Math.round(value * 10) / 10;
  all[name] = { value: rounded, unit, goal };
  mkdirSync(dirname(measured), { recursive: true });
  writeFileSync(measured, `${JSON.stringify(all, null, 2)}\n`);
  console.log(`${name}: ${rounded} ${unit} (goal: under ${goal} ${unit})`);
}
