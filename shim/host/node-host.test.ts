import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HomeInUse } from '../home/home-lock.ts';
import { createLog } from './log.ts';
import { createNodeHost, type NodeHost } from './node-host.ts';

let home: string;
const hosts: NodeHost[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'tabd-home-')), 'new');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const host of hosts.splice(0)) await host.close();
  rmSync(join(home, '..'), { recursive: true, force: true });
});
async function create(options: Partial<Parameters<typeof createNodeHost>[0]> = {}): Promise<NodeHost> {
  const host = await createNodeHost({ home, env: {}, log: createLog({ level: 'error' }), ...options });
  hosts.push(host);
  return host;
}

test('incomplete files of an earlier process are removed', async () => {
  const first = await create();
  const writer = await first.files.create('output/large');
  await writer.write(0, new Uint8Array([1, 2, 3]));
  const place = join(home, 'files', '.unfinished');
  expect(readdirSync(place)).toHaveLength(1);
  await first.close();
  await create();
  expect(existsSync(place)).toBe(false);
  await writer.abort();
});

test('copies of videos are in a folder that the next start empties', async () => {
  const tools = join(home, '..', 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'ffprobe'), `#!/bin/sh\necho "$@" > ${join(tools, 'requests')}\nexit 1\n`, {
    mode: 0o755,
  });
  const host = await create({ env: { TABD_FFMPEG: join(tools, 'ffmpeg') } });
  const opened = host.mediaCodecs!.open(new Uint8Array(9), new AbortController().signal);
  await expect(opened).rejects.toThrow('it ended with 1');
  expect(readFileSync(join(tools, 'requests'), 'utf8')).toContain(
    join(home, 'files', '.unfinished', 'tabd-'),
  );
});

test('all data is stored in one folder', async () => {
  const host = await create();
  await host.records.collection('models').put('m', { modifiedAt: 1 });
  const partial = await host.blobs.openPartial('p');
  await partial.append(new Uint8Array([1, 2, 3]));
  const { digest } = await partial.commit();
  await host.close();
  await host.close();

  const next = await create();
  expect(await next.records.collection('models').get('m')).toEqual({ modifiedAt: 1 });
  expect(await next.blobs.stat(digest)).toEqual({ digest, size: 3 });
  expect((await next.blobs.pathOf(digest)).startsWith(home)).toBe(true);
});

test('another process is refused while this one runs, with the id of this process', async () => {
  await create();
  const error = await createNodeHost({ home, env: {} }).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(HomeInUse);
  expect((error as Error).message).toContain(`process ${process.pid}`);
  expect((error as Error).message).toContain('TABD_HOME');
});

test('a killed process does not block the next one', async () => {
  const script = `import { createNodeHost } from ${JSON.stringify(new URL('./node-host.ts', import.meta.url).href)};
    await createNodeHost({ home: ${JSON.stringify(home)}, env: {} });
    process.stdout.write('open');
    setInterval(() => {}, 1000);`;
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const child = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout!, 'data');
  await expect(createNodeHost({ home, env: {} })).rejects.toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await create()).capabilities.servedBy).toBe('node');
}, 20_000);

test('a refusal leaves the folder unlocked', async () => {
  const schema = { collections: {}, migrations: {} };
  await (await create({ schema: { ...schema, version: 9 } })).close();
  await expect(createNodeHost({ home, env: {}, schema: { ...schema, version: 8 } })).rejects.toThrow('newer');
  await create({ schema: { ...schema, version: 9 } });
});

test('settings come from the environment, consent from the options', async () => {
  const requests: unknown[] = [];
  const host = await create({
    env: { HF_ENDPOINT: ' "https://mirror.example" ', EMPTY: '' },
    consent: async (request) => {
      requests.push(request);
      return false;
    },
  });
  expect(host.setting('HF_ENDPOINT')).toBe('https://mirror.example');
  expect(host.setting('EMPTY')).toBeUndefined();
  expect(host.setting('NOT_THERE')).toBeUndefined();
  const signal = new AbortController().signal;
  expect(await host.consent({ model: 'm', bytes: 5 }, signal)).toBe(false);
  expect(requests).toEqual([{ model: 'm', bytes: 5 }]);
});

test('the machine is described with real values', async () => {
  const { machine } = await create({ gpus: async () => [{ name: 'Card', type: 'vulkan' }] });
  expect(machine.runtime).toBe(`Node.js ${process.versions.node}`);
  expect(machine.cores).toBeGreaterThan(0);
  expect(machine.memoryFree!()).toBeLessThanOrEqual(machine.memoryTotal!);
  expect(await machine.gpus()).toEqual([{ name: 'Card', type: 'vulkan' }]);
});
