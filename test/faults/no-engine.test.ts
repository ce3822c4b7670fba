/** The shim without any engine package, for users whose tab does the work. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type SocketLike, socketChannel } from '#core/frames/channels/socket-channel.ts';
import { FrameServer } from '#core/frames/frame-server.ts';
import type { CallContext } from '#core/http/routing/server.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
let program: string;
let shim: RunningShim;

/** The built program with its packages, except the optional ones. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-bare-'));
  await cp(join(checkout, 'node-shim', 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(checkout, 'node-shim', 'package.json'), join(folder, 'package.json'));
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const place = join(folder, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(checkout, 'node_modules', name), place);
  }
  program = join(folder, 'dist', 'cli.js');
  shim = await startShim(join(folder, 'home'), { args: ['--via-tab'], program });
});
afterAll(async () => {
  await shim?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Connects as a tab's worker does, and answers the requests. */
function tab(...secrets: string[]): WebSocket {
  const origin = `http://localhost:${shim.ports.app}`;
  const protocols = ['tabd.bridge.1', `key.${'k'.repeat(32)}`, ...secrets];
  const socket = new WebSocket(`ws://127.0.0.1:${shim.ports.app}/tabd/bridge`, protocols, { origin });
  new FrameServer(
    socketChannel(socket as unknown as SocketLike),
    {
      fetch: async () => new Response('from the tab'),
      connect: async () => new Response('no', { status: 404 }),
    },
    { context: (header) => header as CallContext },
  );
  return socket;
}
const answers = async () => {
  const response = await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/tags`);
  return `${response.status} ${await response.text()}`;
};

test('a tab answers its ports, also a tab that returns; without a tab they report that', async () => {
  expect(await answers()).toMatch(/^503 .*no tab is connected/);
  const token = /#\/bridge\?token=([\w-]+)/.exec(shim.output())?.[1];
  const first = tab(`token.${token}`);
  await expect.poll(answers).toBe('200 from the tab');
  first.terminate();
  await expect.poll(answers).toMatch(/^503 /);
  tab();
  await expect.poll(answers).toBe('200 from the tab');
});

test('the doctor reports the missing packages', async () => {
  const home = join(folder, 'other');
  const args = [program, 'doctor', '--home', home, '--ports', 'app=off,off,off,off'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/^note {2}engine +node-llama-cpp is not installed here/m);
});
