import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import type { SandboxThread } from '#core/host';
import { childEntry } from '../base/program-files.ts';
import { nodeSandbox } from './sandbox-threads.ts';

const started: SandboxThread[] = [];
afterEach(() => {
  for (const thread of started.splice(0)) thread.terminate();
});

/** A thread, and a function that waits for a message of a type. */
function startThread() {
  const thread = nodeSandbox.start();
  started.push(thread);
  const seen: { type: string }[] = [];
  let notify = () => {};
  thread.onMessage((message) => {
    seen.push(message as { type: string });
    notify();
  });
  async function message(type: string): Promise<object> {
    for (;;) {
      const found = seen.find((each) => each.type === type);
      if (found) return found;
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  }
  return { thread, message };
}

const pattern = (regex: string, text: string) => ({
  type: 'pattern',
  id: 7,
  job: { operation: 'test', pattern: regex, flags: {}, text },
});

test('a thread starts QuickJS, and answers messages', async () => {
  const { thread, message } = startThread();
  thread.post({ type: 'ping' });
  thread.post(pattern('^a', 'ab'));
  expect(await message('pong')).toEqual({ type: 'pong' });
  expect(await message('pattern-done')).toEqual({ type: 'pattern-done', id: 7, value: true });
  expect(await message('ready')).toEqual({ type: 'ready' });
});

test('terminate ends a thread in the middle of its work; later calls do nothing', async () => {
  const { thread, message } = startThread();
  await message('ready');
  thread.post(pattern('^(a+)+$', `${'a'.repeat(40)}!`));
  thread.terminate();
  expect(await thread.gone).toEqual(new Error('the thread ended with code 1'));
  thread.post({ type: 'ping' });
  thread.terminate();
});

test('one thread that ends leaves the others', async () => {
  const [first, second] = [startThread(), startThread()];
  first.thread.terminate();
  await first.thread.gone;
  second.thread.post({ type: 'ping' });
  expect(await second.message('pong')).toEqual({ type: 'pong' });
});

test('a message that cannot be cloned is an error of the caller', async () => {
  const { thread, message } = startThread();
  expect(() => thread.post({ type: 'ping', run: () => {} })).toThrow('could not be cloned');
  thread.post({ type: 'ping' });
  expect(await message('pong')).toEqual({ type: 'pong' });
});

test('threads do not keep the process alive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-test-sandbox-'));
  try {
    const source = pathToFileURL(join(folder, 'entry.ts'));
    const threads = JSON.stringify(new URL('./sandbox-threads.ts', import.meta.url).href);
    writeFileSync(
      source,
      `void import(${threads}).then(({ nodeSandbox }) => {
        const thread = nodeSandbox.start();
        thread.onMessage(() => {});
        console.log('started');
      });`,
    );
    const { path, execArgv } = childEntry('entry', source);
    const { stdout } = await promisify(execFile)(process.execPath, [...execArgv, path], { timeout: 50_000 });
    expect(stdout).toBe('started\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
