import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'tabd-test-wasm-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The first message, or the error, of a thread that loads QuickJS from a file. */
async function firstOutcome(wasm: string): Promise<{ message?: unknown; error?: Error }> {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const entry = JSON.stringify(new URL('./sandbox-thread.ts', import.meta.url).href);
  const boot = `import(${loader}).then(({ register }) => { register(); return import(${entry}); })`;
  const worker = new Worker(boot, { eval: true, workerData: { wasm }, execArgv: [] });
  try {
    return await new Promise((resolve) => {
      worker.on('message', (message) => resolve({ message }));
      worker.on('error', (error) => resolve({ error: error as Error }));
    });
  } finally {
    await worker.terminate();
  }
}

test.each([
  ['a module that breaks off', '\0asm\x01\0\0\0\x01\x7f'],
  ['a module without QuickJS', '\0asm\x01\0\0\0'],
])('%s in place of QuickJS makes the thread unusable', async (name, content) => {
  const path = join(folder, name);
  writeFileSync(path, content, 'latin1');
  const { message } = await firstOutcome(path);
  expect(message).toEqual({ type: 'unusable', message: expect.any(String) });
});

test('a missing file ends the thread with its error', async () => {
  const { error } = await firstOutcome(join(folder, 'missing.wasm'));
  expect(error).toMatchObject({ code: 'ENOENT' });
});
