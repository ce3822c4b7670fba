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
import { acceptSharedMemory, type WritingQueue } from './shared-memory.ts';
import { runtimeFiles } from './tensor-entry.ts';

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
  const native = provider === 'wasm' ? await nativeRuntime() : undefined;
  if (native)
    return {
      ort: native,
      device: cpu,
      provider: 'cpu',
      options: { intraOpNumThreads: count },
      ...mappedFolder(data),
    };
  const device = provider === 'webgpu' ? await openGpu() : cpu;
  const ort = await (provider === 'webgpu' ? import('onnxruntime-web/webgpu') : import('onnxruntime-web'));
  const { mjs, wasm } = runtimeFiles(provider);
  ort.env.wasm.wasmPaths = { mjs: mjs.href, wasm: wasm.href };
  ort.env.wasm.wasmBinary = await readFile(wasm);
  ort.env.wasm.numThreads = provider === 'webgpu' ? 1 : count;
  ort.env.logLevel = 'error';
  return { ort: ort as unknown as Ort, device };
}

/** onnxruntime for this processor. Undefined where its package is not installed, or has no build for the platform. */
async function nativeRuntime(): Promise<Ort | undefined> {
  try {
    return (await import('onnxruntime-node')) as unknown as Ort;
  } catch {
    return undefined;
  }
}

/** Opens Dawn from the package `webgpu`, which the user may have installed. */
async function openGpu(): Promise<string> {
  const name = 'webgpu';
  try {
    const { create, globals } = (await import(name)) as {
      create(options: string[]): { requestAdapter(options: object): Promise<Adapter | null> };
      globals: { GPUQueue: { prototype: WritingQueue } };
    };
    Object.assign(globalThis, globals);
    acceptSharedMemory(globals.GPUQueue.prototype);
    const gpu = create([]);
    Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) throw new Error('it found no adapter');
    const { vendor, architecture, description } = adapter.info ?? {};
    return `WebGPU (${[vendor, architecture, description].filter(Boolean).join(', ')})`;
  } catch (error) {
    throw new ProviderUnusable(`the package webgpu cannot be used: ${(error as Error).message}`);
  }
}

interface Adapter {
  info?: { vendor?: string; architecture?: string; description?: string };
}
