import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAppFolder } from './app-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tabd-app-folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  ['a clone', 'dist/app', 'node-shim/dist/cli.js'],
  ['a clone, from a shared chunk', 'dist/app', 'node-shim/dist/chunks/some.js'],
  ['a clone, from the sources', 'dist/app', 'shim/app-server/app-folder.ts'],
  ['the package', 'package/dist/app', 'package/dist/cli.js'],
  ['the package, from a shared chunk', 'package/dist/app', 'package/dist/chunks/some.js'],
])('is found in %s', (_where, app, program) => {
  const from = pathToFileURL(join(root, program)).href;
  expect(findAppFolder(from)).toBeUndefined();
  mkdirSync(join(root, app), { recursive: true });
  writeFileSync(join(root, app, 'index.html'), '');
  expect(findAppFolder(from)).toBe(join(root, app));
});
