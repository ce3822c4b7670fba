/** The worker of one ONNX session. Its termination frees all memory. */

import { ProviderUnusable } from '#core/host';
import { type OpenMessage, type Ort, ServedSession, type SessionCommand } from '#core/tensors';
import { requestAdapter } from '../shared/webgpu-adapter.ts';
import { canWait, loadRuntime } from './builds.ts';
import type { LockMessage } from './tensor-worker.ts';

/** Above this number, further threads only wait for memory. */
const MAX_THREADS = 8;

const session = new ServedSession<Blob>({
  prepare,
  read: async (file, start = 0, end = file.size) =>
    new Uint8Array(await (start === 0 && end === file.size ? file : file.slice(start, end)).arrayBuffer()),
  stream: (file) => file,
  send: (message) => postMessage(message),
});
let lockHeld: Promise<void> = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<LockMessage | SessionCommand<Blob>>) => {
  if (data.type === 'lock') lockHeld = holdLock(data.lock);
  else void lockHeld.then(() => session.receive(data));
});

/** Resolves when this worker holds the lock. Only the worker's end releases it. */
async function holdLock(lock: string): Promise<void> {
  if (!navigator.locks) return;
  await new Promise<void>((onHeld) => {
    void navigator.locks.request(lock, () => {
      onHeld();
      return new Promise(() => {});
    });
  });
}

async function prepare({ provider, threads }: OpenMessage<Blob>) {
  if (provider === 'wasm') {
    const ort = await loadRuntime(provider);
    const count = threadCount(threads);
    ort.env.wasm.numThreads = count;
    return { ort: ort as unknown as Ort, device: `CPU, ${count} thread${count === 1 ? '' : 's'}` };
  }
  // Checked first, because without an adapter the larger runtime is not needed.
  const adapter = await requestAdapter();
  if (!adapter) throw new ProviderUnusable('WebGPU found no adapter');
  const ort = await loadRuntime(provider);
  ort.env.wasm.numThreads = 1;
  const { vendor, architecture, description } = adapter.info ?? {};
  const parts = [vendor, architecture, description].filter((part) => part);
  return {
    ort: ort as unknown as Ort,
    device: parts.length > 0 ? `WebGPU (${parts.join(', ')})` : 'WebGPU',
    lost: () => waitForDeviceLoss(ort.env.webgpu.device),
    streams: canWait,
  };
}

/** Resolves with a message when onnxruntime's own GPU device is lost. */
async function waitForDeviceLoss(ortDevice: Promise<unknown>): Promise<string> {
  const device = (await ortDevice) as { lost: Promise<{ message: string }> };
  const { message } = await device.lost;
  return `the GPU device was lost (${message})`;
}

/**
 * How many threads to use. Threads need shared memory, which only a cross-origin isolated page has. With three or more cores,
 * one is left to the page.
 * @param requested 0 for the default
 */
function threadCount(requested: number): number {
  if (!crossOriginIsolated) return 1;
  const cores = navigator.hardwareConcurrency || 1;
  return requested || (cores <= 2 ? cores : Math.min(cores - 1, MAX_THREADS));
}
