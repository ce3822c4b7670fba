import type { Host, LocatedFile } from '#core/host';
import { ApiError } from '#core/http';

/**
 * Refuses an image model before its gigabytes are downloaded, when this browser cannot open its largest graph. On other
 * platforms that is decided when the graph is opened: a GPU may be added to the computer later.
 * @throws ApiError 400
 */
export async function refuseTooLarge(
  host: Pick<Host, 'capabilities' | 'machine'>,
  model: string,
  files: readonly LocatedFile[],
): Promise<void> {
  const limit = host.capabilities.largestGraphWithoutGpu;
  if (limit === undefined) return;
  /** Bytes of each folder: a graph with its data. */
  const graphs = new Map<string, number>();
  for (const { path, size } of files) {
    const folder = /^(.*)\/[^/]+$/.exec(path ?? '')?.[1];
    if (folder !== undefined) graphs.set(folder, (graphs.get(folder) ?? 0) + (size ?? 0));
  }
  const [largest] = [...graphs].toSorted((a, b) => b[1] - a[1]);
  if (!largest || largest[1] <= limit) return;
  const gpus = await host.machine.gpus().catch(() => []);
  if (gpus.length > 0) return;
  throw new ApiError(
    400,
    `${model} cannot be opened here: its ${largest[0]} has ${(largest[1] / 1e9).toFixed(1)} GB, without a GPU a tab holds ${limit / 1e9} GB, and this browser has no WebGPU. Nothing was downloaded. Open this page on a device with a GPU, or take a smaller model`,
  );
}
