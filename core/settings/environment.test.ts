/** The table of settings is the one in the documentation, and neither says more or less than the code reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import environment from '#core/settings/environment.json' with { type: 'json' };

const root = new URL('../../', import.meta.url);
const documented = readFileSync(new URL('docs/environment.md', root), 'utf8');
const source = ['core', 'shim', 'workers']
  .flatMap((room) =>
    readdirSync(new URL(`${room}/`, root), { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(fileURLToPath(new URL(`${room}/${file}`, root)), 'utf8')),
  )
  .join('\n');

describe.each(environment.acting)('$name', ({ name, where, default: usual, does }) => {
  it('is in the documentation as in the table', () => {
    expect(documented).toContain(`| \`${name}\` | ${where.join(', ')} | ${usual} | ${does} |\n`);
  });
  it('is read by the code', () => expect(source).toMatch(new RegExp(`\\b${name}\\b`)));
});

describe.each(environment.without)('$name', ({ name, why }) => {
  it('is said to do nothing, and why', () => expect(documented).toContain(`| \`${name}\` | ${why} |\n`));
  it('is not read', () => expect(source).not.toMatch(new RegExp(`['.]${name}\\b`)));
});

it('every variable that is read is in the table', () => {
  const read = source.matchAll(/['.]((?:OLLAMA|HF|TABD)_[A-Z_]+)\b/g);
  const known = new Set(environment.acting.map(({ name }) => name));
  // Not for people: set by tabd's own page and build.
  const own = new Set(['TABD_WEIGHTS_FROM', 'TABD_VERSION', 'TABD_BUILD']);
  const missing = [...new Set([...read].map(([, name]) => name!))].filter(
    (name) => !known.has(name) && !own.has(name),
  );
  expect(missing).toEqual([]);
});
