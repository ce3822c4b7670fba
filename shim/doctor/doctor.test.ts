import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseArguments } from '../cli/arguments.ts';
import { doctor } from '../cli/commands/doctor.ts';
import { createNodeHost } from '../host/node-host.ts';
import { SqliteRecords } from '../storage/sqlite-records.ts';

let home: string;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const gpus = async () => [{ name: 'A GPU', type: 'vulkan' }] as never;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-private-folder-'));
  const host = await createNodeHost({ home, env: {}, log: quiet });
  await host.close();
  await writeFile(join(home, 'files', 'my-secret-picture.png'), 'x').catch(async () => {
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(home, 'files'), { recursive: true });
    await writeFile(join(home, 'files', 'my-secret-picture.png'), 'x');
  });
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function run(...argv: string[]): Promise<string> {
  return runWith({}, ...argv);
}

async function runWith(more: NodeJS.ProcessEnv, ...argv: string[]): Promise<string> {
  let text = '';
  const out = { write: (more: string) => (text += more) };
  const env = { OLLAMA_HOST: '10.1.2.3', HF_TOKEN: 'hf_verysecret', MY_OWN: 'x', TABD_HOME: home, ...more };
  await doctor(parseArguments(['doctor', ...argv]), { out, env, home }, gpus).catch((error: Error) => {
    text += `failed: ${error.message}`;
  });
  return text;
}

it('reports the state of ports, storage and engine, and counts problems', async () => {
  const other = createServer((_, answer) => answer.end('Ollama is running'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const text = await run('--ports', `${port},off,off`);
  await new Promise((resolve) => other.close(resolve));
  expect(text).toMatch(/^ok {4}program {4}Node\.js /m);
  expect(text).toMatch(new RegExp(`^!!    ports      ${port} \\(local-models\\) is taken by Ollama`, 'm'));
  expect(text).toMatch(/^ok {4}storage .*free/m);
  expect(text).toContain('GPU: A GPU');
  expect(text).toContain('failed: 1 problem(s) keep tabd from working');
});

it('reports whether ffmpeg is installed', async () => {
  const closedPorts = ['--ports', 'app=off,off,off,off'];
  expect(await run(...closedPorts)).toMatch(/^ok {4}media {6}ffmpeg \d/m);
  const without = await runWith({ TABD_FFMPEG: join(home, 'none') }, ...closedPorts);
  expect(without).toMatch(/^note {2}media .*could not be run.*apt install ffmpeg/m);
});

it('writes a report without private facts', async () => {
  const file = join(home, '..', `tabd-report-${process.pid}.json`);
  await run('--ports', 'app=off,off,off,off', '--bundle', file);
  const text = await readFile(file, 'utf8');
  await rm(file);
  const report = JSON.parse(text) as { settings: string[]; stored: object; findings: object[] };
  expect(report.settings).toEqual(['HF_TOKEN', 'OLLAMA_HOST', 'TABD_HOME']);
  expect(report.stored).toMatchObject({ files: { files: 1, bytes: 1 } });
  expect(report.findings.length).toBeGreaterThan(3);
  const privateTexts = [
    hostname(),
    homedir(),
    home,
    'hf_verysecret',
    '10.1.2.3',
    'my-secret-picture',
    'MY_OWN',
  ];
  // A short user name may be part of ordinary words.
  if (userInfo().username.length > 4) privateTexts.push(userInfo().username);
  for (const secret of privateTexts) expect(text).not.toContain(secret);
});

it('detects records of a newer tabd', async () => {
  const { recordsSchema } = await import('#core/host/records-schema.ts');
  const newer = { ...recordsSchema, version: recordsSchema.version + 1 };
  new SqliteRecords(join(home, 'records.sqlite'), newer).close();
  expect(await run('--ports', 'app=off,off,off,off')).toMatch(/newer tabd .*update tabd/);
});
