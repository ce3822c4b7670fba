import { getLlama, type Llama, LlamaLogLevel } from '../llama-library.ts';
import type { GpuInfo, GpuKind, LoadCommand, Report } from '../protocol.ts';
import { nativeLogger } from './native-log.ts';

/** Opens llama.cpp with the requested kind of GPU support. Never downloads or compiles anything. */
export async function openLlama(
  gpu: LoadCommand['gpu'],
  report: (message: Report) => void = () => {},
): Promise<Llama> {
  const open = (kind: LoadCommand['gpu']) =>
    getLlama({
      gpu: kind,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      // Each context sets its own number of threads.
      maxThreads: 0,
      logLevel: LlamaLogLevel.warn,
      logger: nativeLogger(report),
    });
  const llama = await open(gpu);
  if (llama.gpu === false || (await llama.getGpuDeviceNames()).length > 0) return llama;
  // Without a GPU, the plain build has faster kernels for this processor.
  await llama.dispose();
  return open(false);
}

export async function listGpus(): Promise<GpuInfo[]> {
  const llama = await openLlama('auto');
  if (llama.gpu === false) return [];
  const names = await llama.getGpuDeviceNames();
  const { total, free } = await llama.getVramState();
  // The library reports one sum of memory for all GPUs, so several GPUs are listed as one.
  const name = names.join(' + ');
  return [{ name, type: llama.gpu as GpuKind, memoryTotal: total, memoryFree: free }];
}
