import type { Host } from '#core/host';
import { ApiError } from '#core/http';
import { nameOfFile, parseReference } from '../names/model-reference.ts';
import { type PullProgress, pullingLine } from '../progress.ts';
import { megabytes } from '../transfer/download.ts';
import { type Installer, install } from './install.ts';
import { storeStream } from './uploads.ts';

export interface ImportedFile {
  name: string;
  size: number;
  stream(): ReadableStream<Uint8Array>;
}

const interval = 60;

/**
 * Copies a model file that is on this machine into the store and installs it, under `name` or, when that is empty,
 * under one made of the file's. Throws ApiError 400 when it is no GGUF file, 507 when it does not fit.
 */
export async function* importFile(
  installer: Installer & { host: Pick<Host, 'blobs' | 'clock' | 'records'> },
  name: string,
  file: ImportedFile,
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const { host, models } = installer;
  const modelName = name === '' ? nameOfFile(file.name) : parseReference(name).name;
  yield { status: 'parsing GGUF' };
  await checkSpace(host, file);
  const status = `copying ${file.name}`;
  yield { status, total: file.size };
  const copying = storeStream(host, file.stream(), signal, refuseOthers);
  let told = host.clock.now();
  let step = await copying.next();
  try {
    for (; !step.done; step = await copying.next()) {
      if (host.clock.now() - told < interval) continue;
      told = host.clock.now();
      yield { status, total: file.size, completed: step.value };
    }
  } finally {
    if (!step.done)
      await copying.throw(new DOMException('nobody waits for this import', 'AbortError')).catch(() => {});
  }
  const stored = step.value;
  const release = models.hold(stored.digest);
  try {
    yield pullingLine(stored.digest, stored.size, stored.size);
    yield* install(installer, {
      name: modelName,
      origin: file.name,
      files: [{ role: 'weights', ...stored }],
      texts: { licences: [] },
    });
  } catch (error) {
    release();
    if (error instanceof ApiError) await models.dropUnlessUsed(stored.digest);
    throw error;
  } finally {
    release();
  }
}

/** Before a large file of another kind is copied to its end. */
function refuseOthers(piece: Uint8Array, at: number): void {
  if (at > 0 || new TextDecoder().decode(piece.subarray(0, 4)) === 'GGUF') return;
  throw new ApiError(400, 'supplied file was not in GGUF format');
}

async function checkSpace(host: Pick<Host, 'blobs'>, file: ImportedFile): Promise<void> {
  const free = await host.blobs.freeSpace();
  if (free === undefined || free >= file.size) return;
  throw new ApiError(
    507,
    `not enough space for ${file.name}: ${megabytes(file.size)} are needed and ${megabytes(free)} are free; ` +
      'delete a model or other files and import it again',
  );
}
