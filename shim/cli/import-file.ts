import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { ModelRegistry, PullProgress } from '#core/local-models';
import { partPaths } from './part-paths.ts';

/**
 * Installs the GGUF file at `path` under `name`, or under the file's own name. The other parts of a file that was split
 * lie next to it.
 * @throws UsageError if a file is missing
 */
export async function* importModelFile(
  registry: Pick<ModelRegistry, 'importFiles'>,
  path: string,
  name: string | undefined,
  signal: AbortSignal,
): AsyncIterable<PullProgress> {
  const files = (await partPaths(path)).map(async (part) => ({
    name: basename(part),
    size: (await stat(part)).size,
    stream: () => Readable.toWeb(createReadStream(part)) as unknown as ReadableStream<Uint8Array>,
  }));
  yield* registry.importFiles(name ?? '', await Promise.all(files), signal);
}
