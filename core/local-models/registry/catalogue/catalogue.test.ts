import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { displayName, parseName } from '../names/model-name.ts';
import { catalogueEntries, defaultModel, findInCatalogue } from './catalogue.ts';

describe.each(catalogueEntries.map((entry) => [entry.name, entry] as const))('%s', (name, entry) => {
  it('has a name in the spelling that is displayed', () => {
    for (const each of [name, ...(entry.also ?? [])]) expect(displayName(parseName(each))).toBe(each);
  });

  it('states its sources, their evidence and the day of the look-up', () => {
    expect(entry.sources.length).toBeGreaterThan(0);
    for (const source of entry.sources) {
      if ('hub' in source) expect(source.hub).toMatch(/^[\w.-]+\/[\w.-]+$/);
      else
        expect(source.package).toMatch(/^(pypi:[\w.-]+==[\w.]+!(.+\.gguf|.+\/\{[\w.,/-]+\})|site:[\w-]+)$/);
    }
    expect(entry.cited.length).toBeGreaterThan(0);
    for (const { date, ...where } of entry.cited) {
      if ('url' in where) expect(new URL(where.url).protocol).toBe('https:');
      else if ('file' in where) expect(existsSync(where.file)).toBe(true);
      else expect(where.package).toMatch(/^PyPI: [\w.-]+ [\w.]+$/);
      expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    }
    expect(entry.licence).not.toBe('');
  });

  it('has no digest, because a pull reads it from the source', () => {
    expect(JSON.stringify(entry)).not.toMatch(/"(digest|sha256)"|[0-9a-f]{64}/);
    if (entry.bytes !== undefined) expect(entry.bytes).toBeGreaterThan(1e6);
  });
});

it('has no name twice, in any spelling', () => {
  const names = catalogueEntries.flatMap((entry) => [entry.name, ...(entry.also ?? [])]);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  expect(findInCatalogue(parseName('SMOLLM2:135M'))?.name).toBe('smollm2:135m');
  expect(findInCatalogue(parseName('smollm2'))?.name).toBe('smollm2:1.7b');
  expect(findInCatalogue(parseName('someone/smollm2:135m'))).toBeUndefined();
});

it('has the default model, with a source that needs no hub', () => {
  const sources = findInCatalogue(parseName(defaultModel))?.sources ?? [];
  expect(sources.some((source) => 'package' in source)).toBe(true);
});
