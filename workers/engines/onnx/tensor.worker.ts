/** The worker of one ONNX session. Ending it frees everything. */

import { ProviderUnusable } from '#core/host';
import { type OpenMessage, type Ort, ServedSession, type SessionCommand } from '#core/tensors';
import { requestAdapter } from '../shared/webgpu-adapter.ts';
import { canWait, loadRuntime } from './builds.ts';
import type { LockMessage } from './tensor-worker.ts';

/** More gain nothing: they wait for memory. */
const MOST_THREADS = 8;

const session = new ServedSession<Blob>({
  prepare,
  read: async (file, start = 0, end = file.size) =>
    new Uint8Array(await (start === 0 && end === file.size ? file : file.slice(start, end)).arrayBuffer()),
  stream: (file) => file,
  send: (message) => postMessage(message),
});
let locked: Promise<void> = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<LockMessage | SessionCommand<Blob>>) => {
  if (data.type === 'lock') locked = hold(data.lock);
  else void locked.then(() => session.receive(data));
});

async function hold(lock: string): Promise<void> {
  if (!navigator.locks) return;
  await new Promise<void>((held) => {
    void navigator.locks.request(lock, () => {
      held();
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
  // Asked first: where there is none, the runtime for it is not fetched.
  const adapter = await requestAdapter();
  if (!adapter) throw new ProviderUnusable('WebGPU found no adapter');
  const ort = await loadRuntime(provider);
  ort.env.wasm.numThreads = 1;
  const { vendor, architecture, description } = adapter.info ?? {};
  const parts = [vendor, architecture, description].filter((part) => part);
  return {
    ort: ort as unknown as Ort,
    device: parts.length > 0 ? `WebGPU (${parts.join(', ')})` : 'WebGPU',
    lost: () => lostDevice(ort.env.webgpu.device),
    streams: canWait,
  };
}

/** onnxruntime opens its own device; a second one would not be told of its loss. */
async function lostDevice(opened: Promise<unknown>): Promise<string> {
  const device = (await opened) as { lost: Promise<{ message: string }> };
  const { message } = await device.lost;
  return `the GPU device was lost (${message})`;
}

/** Threads share memory, which only an isolated page has; one core is left to the page where there are some to spare. */
function threadCount(asked: number): number {
  if (!crossOriginIsolated) return 1;
  const cores = navigator.hardwareConcurrency || 1;
  return asked || (cores <= 2 ? cores : Math.min(cores - 1, MOST_THREADS));
}
