/** The table of settings equals the documentation, and both contain exactly the settings that the code reads. */
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
  it('the documentation equals the table', () => {
    expect(documented).toContain(`| \`${name}\` | ${where.join(', ')} | ${usual} | ${does} |\n`);
  });
  it('the code reads it', () => expect(source).toMatch(new RegExp(`\\b${name}\\b`)));
});

describe.each(environment.without)('$name', ({ name, why }) => {
  it('is documented as without effect, with the reason', () =>
    expect(documented).toContain(`| \`${name}\` | ${why} |\n`));
  it('the code does not read it', () => expect(source).not.toMatch(new RegExp(`['.]${name}\\b`)));
});

it('every variable that the code reads is in the table', () => {
  const read = source.matchAll(/['.]((?:OLLAMA|HF|TABD)_[A-Z_]+)\b/g);
  const acting = new Set(environment.acting.map(({ name }) => name));
  // Set by tabd's own page and build, and not by users.
  const own = new Set(['TABD_WEIGHTS_FROM', 'TABD_VERSION', 'TABD_BUILD']);
  const missing = [...new Set([...read].map(([, name]) => name!))].filter(
    (name) => !acting.has(name) && !own.has(name),
  );
  expect(missing).toEqual([]);
});
