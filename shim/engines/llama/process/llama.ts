import { getLlama, type Llama, LlamaLogLevel } from '../llama-library.ts';
import type { GpuInfo, GpuKind, LoadCommand, Report } from '../protocol.ts';
import { nativeLogger } from './native-log.ts';

/** llama.cpp with the wanted kind of GPU support. Nothing is ever downloaded or compiled here. */
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
      // Threads are set per context; the library's own limit would get in the way.
      maxThreads: 0,
      logLevel: LlamaLogLevel.warn,
      logger: nativeLogger(report),
    });
  const llama = await open(gpu);
  if (llama.gpu === false || (await llama.getGpuDeviceNames()).length > 0) return llama;
  // A GPU library without a GPU: the plain build has the faster kernels for this processor.
  await llama.dispose();
  return open(false);
}

export async function listGpus(): Promise<GpuInfo[]> {
  const llama = await openLlama('auto');
  if (llama.gpu === false) return [];
  const names = await llama.getGpuDeviceNames();
  const { total, free } = await llama.getVramState();
  // The library tells memory for all GPUs together; they are listed as one when there are several.
  const name = names.join(' + ');
  return [{ name, type: llama.gpu as GpuKind, memoryTotal: total, memoryFree: free }];
}
