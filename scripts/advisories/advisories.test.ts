import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAdvisories, loadExport } from './check.ts';
import { type Advisory, affects, readExport } from './osv.ts';

const advisory = (events: object[], rest: Partial<Advisory> = {}): Advisory => ({
  id: 'GHSA-1',
  summary: 'It leaks',
  affected: [{ package: { ecosystem: 'npm', name: '@a/b' }, ranges: [{ type: 'SEMVER', events }] }],
  database_specific: { severity: 'HIGH' },
  ...rest,
});
const LOCK = {
  packages: {
    '': { version: '9.9.9' },
    'node-shim': { version: '1.1.0', name: '@a/b' },
    'node_modules/tabd-shim': { link: true },
    'node_modules/@a/b': { version: '1.1.0' },
    'node_modules/c/node_modules/@a/b': { version: '1.5.0-rc.1', dev: true },
    'node_modules/alias': { name: '@a/b', version: '2.1.0' },
    'node_modules/d': { version: '1.1.0' },
  },
};

describe('affects', () => {
  it.each([
    [[{ introduced: '0' }], '0.0.1', true],
    [[{ introduced: '0' }, { fixed: '1.2.0' }], '1.1.9', true],
    [[{ introduced: '0' }, { fixed: '1.2.0' }], '1.2.0', false],
    [[{ introduced: '0' }, { fixed: '1.2.0' }], '1.2.0-rc.1', true],
    [[{ introduced: '1.0.0' }, { last_affected: '1.2.0' }], '1.2.0', true],
    [[{ introduced: '1.0.0' }, { last_affected: '1.2.0' }], '1.2.1', false],
    [[{ introduced: '1.0.0' }], '0.9.0', false],
    [[{ fixed: '1.2.0' }, { introduced: '2.0.0' }, { introduced: '0' }], '1.5.0', false],
    [[{ fixed: '1.2.0' }, { introduced: '2.0.0' }, { introduced: '0' }], '10.0.0', true],
  ])('%j: %s is affected: %s', (events, version, expected) => {
    expect(affects(advisory(events), '@a/b', version)).toBe(expected);
  });

  it('knows versions that are listed, other packages, and what was withdrawn', () => {
    const npm = { ecosystem: 'npm', name: '@a/b' };
    const listed = { id: 'M', affected: [{ package: npm, versions: ['1.0.0'] }] };
    expect(affects(listed, '@a/b', '1.0.0')).toBe(true);
    expect(affects(listed, '@a/b', '1.0.1')).toBe(false);
    expect(affects(listed, 'b', '1.0.0')).toBe(false);
    expect(affects({ ...listed, withdrawn: '2026-01-01T00:00:00Z' }, '@a/b', '1.0.0')).toBe(false);
    const python = [{ package: { ...npm, ecosystem: 'PyPI' }, versions: ['1.0.0'] }];
    expect(affects({ id: 'P', affected: python }, '@a/b', '1.0.0')).toBe(false);
  });
});

it('finds every copy of a package in the lock file', () => {
  const found = findAdvisories(LOCK, [advisory([{ introduced: '0' }, { fixed: '2.0.0' }])]);
  expect(found.map(({ name, version, isDev }) => [name, version, isDev])).toEqual([
    ['@a/b', '1.1.0', false],
    ['@a/b', '1.5.0-rc.1', true],
  ]);
  expect(found[0]).toMatchObject({ id: 'GHSA-1', severity: 'high', summary: 'It leaks' });
});

describe('an export', () => {
  const single = advisory([{ introduced: '0' }]);
  it.each([
    ['a single advisory', single],
    ['a list', [single]],
    ['an answer of the API', { vulns: [single] }],
  ])('may be JSON: %s', (_name, value) => {
    expect(readExport(strToU8(JSON.stringify(value)))).toEqual([single]);
  });

  it.each([
    ['neither zip nor JSON', strToU8('hello')],
    ['a broken zip', strToU8('PK hello')],
    ['has no id', strToU8('{"a":1}')],
    ['holds no advisory', strToU8('[]')],
  ])('is refused that is %s', (message, bytes) => {
    expect(() => readExport(bytes)).toThrow(message);
  });
});

describe('a server', () => {
  const zip = zipSync({
    'GHSA-1.json': strToU8(JSON.stringify(advisory([{ introduced: '0' }, { fixed: '2.0.0' }]))),
    'readme.txt': strToU8('not an advisory'),
  });
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/npm/all.zip' ? 200 : 404;
    response.end(zip);
  });
  let origin = '';
  let folder = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder = await mkdtemp(join(tmpdir(), 'advisories-'));
    await writeFile(join(folder, 'lock.json'), JSON.stringify(LOCK));
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  it('is asked for a zip', async () => {
    expect(await loadExport(`${origin}/npm/all.zip`)).toHaveLength(1);
    await expect(loadExport(`${origin}/absent`)).rejects.toThrow('the server answered 404');
    await expect(loadExport(join(folder, 'absent'))).rejects.toThrow('cannot be read');
  });

  /** The command's exit code and output. */
  const command = (...args: string[]) =>
    new Promise<{ code: unknown; output: string }>((resolve) => {
      const all = ['--import', 'tsx', 'scripts/advisories/run.ts', ...args];
      execFile(process.execPath, all, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });

  it('decides the exit code of the command', { timeout: 60_000 }, async () => {
    const lock = ['--lock', join(folder, 'lock.json')];
    const found = await command(`${origin}/npm/all.zip`, ...lock);
    expect(found.code).toBe(1);
    expect(found.output).toContain('@a/b@1.1.0: GHSA-1, high: It leaks');
    expect(found.output).toContain('@a/b@1.5.0-rc.1 (development)');
    expect((await command(`${origin}/npm/all.zip`)).code).toBe(0);
    expect((await command(`${origin}/absent`)).code).toBe(2);
    expect((await command()).output).toContain('usage');
  });
});
