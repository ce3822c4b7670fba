import type { Host, LocatedFile } from '#core/host';
import { ApiError } from '#core/http';
import { modelFormatOf } from '../formats/file-roles.ts';

/**
 * Refuses a model before its gigabytes are downloaded, when this browser cannot open its weights or its largest graph. On other
 * platforms that is decided when the model is opened: a GPU may be added to the computer later.
 * @throws ApiError 400
 */
export async function refuseTooLarge(
  host: Pick<Host, 'capabilities' | 'machine'>,
  model: string,
  files: readonly LocatedFile[],
): Promise<void> {
  const { largestGguf, largestGraphWithoutGpu } = host.capabilities;
  const named = files.map(({ role, path }) => ({ role, ...(path && { name: path }) }));
  const isGguf = files.some(({ role }) => role === 'weights') && modelFormatOf(named) === 'gguf';
  const parts = files.filter(({ role }) => role === 'weights' || role === 'part');
  const bytes = parts.reduce((sum, { size = 0 }) => sum + size, 0);
  if (largestGguf !== undefined && isGguf && bytes > largestGguf)
    throw new ApiError(
      400,
      `${model} cannot be opened here: it has ${gigabytes(bytes)}, and a tab holds language models of up to ${gigabytes(largestGguf)}. Nothing was downloaded. Run it with tabd in Node (npx tabd-shim), or take a smaller model`,
    );
  if (largestGraphWithoutGpu !== undefined)
    await refuseTooLargeGraph(host, largestGraphWithoutGpu, model, files);
}

/** @param limit bytes that a tab opens without a GPU */
async function refuseTooLargeGraph(
  host: Pick<Host, 'machine'>,
  limit: number,
  model: string,
  files: readonly LocatedFile[],
): Promise<void> {
  /** Bytes of each folder, which is a graph with its data, and of each file of weights. */
  const graphs = new Map<string, number>();
  for (const { path, size } of files) {
    const folder = /^(.*)\/[^/]+$/.exec(path ?? '')?.[1] ?? path;
    if (folder !== undefined) graphs.set(folder, (graphs.get(folder) ?? 0) + (size ?? 0));
  }
  const [largest] = [...graphs].toSorted((a, b) => b[1] - a[1]);
  if (!largest || largest[1] <= limit) return;
  const gpus = await host.machine.gpus().catch(() => []);
  if (gpus.length > 0) return;
  throw new ApiError(
    400,
    `${model} cannot be opened here: its ${largest[0]} has ${gigabytes(largest[1])}, without a GPU a tab holds ${gigabytes(limit)}, and this browser has no WebGPU. Nothing was downloaded. Open this page on a device with a GPU, or take a smaller model`,
  );
}

const gigabytes = (bytes: number): string => `${Number((bytes / 1e9).toFixed(1))} GB`;
