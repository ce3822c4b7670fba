import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ModelRegistry, PullProgress } from '#core/local-models';
import { UsageError } from '../base/usage-error.ts';

/** Installs the GGUF file at `path` under `name`, or under the file's own name. @throws UsageError */
export async function* importModelFile(
  registry: Pick<ModelRegistry, 'importFile'>,
  path: string,
  name: string | undefined,
  signal: AbortSignal,
): AsyncIterable<PullProgress> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`${resolve(path)} is not a file`);
  const file = {
    name: basename(path),
    size: found.size,
    stream: () => Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>,
  };
  yield* registry.importFile(name ?? '', file, signal);
}
