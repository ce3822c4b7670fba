import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { collectPackages } from '#scripts/third-party/bundled-packages.mjs';
import { writeNotices } from '#scripts/third-party/write-notices.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabd-notices-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function addPackage(name: string, fields: object, files: Record<string, string> = {}): string {
  const place = join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version: '1.2.3', ...fields }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  return place;
}

const owner = { name: 'tabd', version: '0.1.0' };

it('collects the packages of all bundled modules', () => {
  const folders = new Set<string>();
  const moduleIds = ['/a/node_modules/@x/y/lib/z.js?worker', '\0/a/node_modules/b/c.js', '/a/src/d.ts'];
  collectPackages(folders).generateBundle({}, { 'a.js': { moduleIds }, 'a.css': {} });
  expect([...folders]).toEqual(['/a/node_modules/@x/y', '/a/node_modules/b']);
});

it('writes the license of each package, and a bill of materials', () => {
  const packages = [
    addPackage('b', { license: 'MIT', author: { name: 'Ada' } }),
    addPackage('@x/a', { license: '(MIT OR Apache-2.0)' }, { 'LICENSE.md': 'the terms', NOTICE: 'a notice' }),
  ];
  writeNotices(folder, owner, packages);
  const text = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  expect(text).toMatch(/@x\/a 1\.2\.3 \(\(MIT OR Apache-2\.0\)\)\n-+\n\nthe terms\n\na notice\n/);
  expect(text).toMatch(/\nb 1\.2\.3 \(MIT\)\n-+\n\nCopyright: Ada\n/);
  const { components, ...bill } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'tabd' } } });
  expect(components).toMatchObject([
    { purl: 'pkg:npm/%40x/a@1.2.3', licenses: [{ expression: 'MIT OR Apache-2.0' }] },
    { purl: 'pkg:npm/b@1.2.3', licenses: [{ license: { id: 'MIT' } }] },
  ]);
});

it('refuses a package without a license', () => {
  expect(() => writeNotices(folder, owner, [addPackage('c', {})])).toThrow('the package c states no license');
});
