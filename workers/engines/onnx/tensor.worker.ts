/** The worker of one ONNX session. Its termination frees all memory. */

import { ProviderUnusable } from '#core/host';
import {
  type OpenMessage,
  type Ort,
  type PreparedRuntime,
  ServedSession,
  type SessionCommand,
} from '#core/tensors';
import { holdLifeLock } from '../shared/life-lock.ts';
import { adapterName, requestAdapter } from '../shared/webgpu-adapter.ts';
import { hasJspi, loadRuntime } from './builds.ts';
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
  if (data.type === 'lock') lockHeld = holdLifeLock(data.lock);
  else void lockHeld.then(() => session.receive(data));
});

async function prepare({ provider, threads }: OpenMessage<Blob>): Promise<PreparedRuntime> {
  if (provider === 'wasm') {
    const ort = await loadRuntime(provider);
    const count = threadCount(threads);
    ort.env.wasm.numThreads = count;
    return {
      ort: ort as unknown as Ort,
      device: `CPU, ${count} thread${count === 1 ? '' : 's'}`,
      is32Bit: true,
    };
  }
  // Checked first, because without an adapter the larger runtime is not needed.
  const adapter = await requestAdapter();
  if (!adapter) throw new ProviderUnusable('WebGPU found no adapter');
  const ort = await loadRuntime(provider);
  ort.env.wasm.numThreads = 1;
  return {
    ort: ort as unknown as Ort,
    device: adapterName(adapter),
    lacksHalf: !adapter.features.has('shader-f16'),
    lost: () => waitForDeviceLoss(ort.env.webgpu.device),
    readsBlobs: hasJspi,
    keepsOnGpu: true,
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
