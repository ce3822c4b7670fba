/**
 * The entry of a process that runs one ONNX session. It talks to the shim over the process channel, never
 * writes to standard output, and ends when the shim ends.
 */

import { open, readFile } from 'node:fs/promises';
import os from 'node:os';
import { ProviderUnusable } from '#core/host';
import {
  type OpenMessage,
  type Ort,
  type PreparedRuntime,
  ServedSession,
  type SessionCommand,
} from '#core/tensors';
import { readBytes } from '../../base/read-bytes.ts';
import { mappedFolder } from './mapped-folder.ts';
import { runtimeFiles } from './tensor-entry.ts';

/** The name of the GPU, for a session on it. */
const gpu = process.argv[3];

/** More threads gain nothing, because memory is the bottleneck. */
const MAX_THREADS = 8;

const session = new ServedSession<string>({
  prepare,
  read: (path, start, end) =>
    start === undefined || end === undefined ? readFile(path) : readRange(path, start, end),
  memory: () => process.memoryUsage().rss,
  send: (message) => {
    if (process.connected) process.send?.(message);
  },
});

/** Reads a range of a file of any size. Rejects if the file ends before `end`. */
async function readRange(path: string, start: number, end: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const bytes = await readBytes(file, start, end);
    if (bytes.length < end - start) throw new Error(`external data: ${path} ends before byte ${end}`);
    return bytes;
  } finally {
    await file.close();
  }
}

process.on('message', (message: SessionCommand<string>) => session.receive(message));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

async function prepare({ provider, threads, data }: OpenMessage<string>): Promise<PreparedRuntime> {
  const cores = os.availableParallelism();
  const count = threads || Math.min(cores, MAX_THREADS);
  const cpu = `CPU, ${count} thread${count === 1 ? '' : 's'}`;
  const native = await nativeRuntime();
  if (native && provider === 'wasm')
    return {
      ort: native,
      device: cpu,
      provider: 'cpu',
      options: { intraOpNumThreads: count },
      ...mappedFolder(data),
    };
  if (provider === 'webgpu') {
    if (!native || !hasBackend(native, 'webgpu'))
      throw new ProviderUnusable('onnxruntime-node has no WebGPU on this platform');
    return { ort: native, device: `WebGPU (${gpu})`, ...mappedFolder(data) };
  }
  const ort = await import('onnxruntime-web');
  const { mjs, wasm } = runtimeFiles();
  ort.env.wasm.wasmPaths = { mjs: mjs.href, wasm: wasm.href };
  ort.env.wasm.wasmBinary = await readFile(wasm);
  ort.env.wasm.numThreads = count;
  ort.env.logLevel = 'error';
  return { ort: ort as unknown as Ort, device: cpu, is32Bit: true };
}

/** onnxruntime for this processor. Undefined where its package is not installed, or has no build for the platform. */
async function nativeRuntime(): Promise<NativeOrt | undefined> {
  try {
    return (await import('onnxruntime-node')) as unknown as NativeOrt;
  } catch {
    return undefined;
  }
}

type NativeOrt = Ort & { listSupportedBackends?(): { name: string; bundled: boolean }[] };

/** Whether the runtime comes with a provider. */
const hasBackend = (ort: NativeOrt, backend: string): boolean =>
  ort.listSupportedBackends?.().some(({ name, bundled }) => name === backend && bundled) ?? false;
