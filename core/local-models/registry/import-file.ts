import { type BlobInfo, StorageFull } from '../../host/blobs.ts';
import type { Host } from '../../host/host.ts';
import { ApiError } from '../../http/api-error.ts';
import { type Installer, install } from './install.ts';
import { megabytes } from './pull/download.ts';
import { pulling } from './pull/fetch-files.ts';
import { readPieces } from './pull/pieces.ts';
import { nameOfFile, parseReference } from './reference.ts';
import type { PullProgress } from './types.ts';

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
  installer: Installer & { host: Pick<Host, 'blobs' | 'clock'> },
  name: string,
  file: ImportedFile,
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const { host, models } = installer;
  const modelName = name === '' ? nameOfFile(file.name) : parseReference(name).name;
  yield { status: 'parsing GGUF' };
  await checkSpace(host, file);
  const status = `copying ${file.name}`;
  const partial = await host.blobs.openPartial(`import-${crypto.randomUUID()}`, signal);
  let stored: BlobInfo | undefined;
  try {
    let told = host.clock.now();
    yield { status, total: file.size };
    for await (const piece of readPieces(file.stream(), signal, () => {})) {
      if (partial.size === 0) refuseOthers(piece);
      await partial.append(piece);
      if (host.clock.now() - told < interval) continue;
      told = host.clock.now();
      yield { status, total: file.size, completed: partial.size };
    }
    stored = await partial.commit();
  } catch (error) {
    if (error instanceof StorageFull) throw new ApiError(507, error.message, { cause: error });
    throw error;
  } finally {
    // An import is begun anew: bytes that a caller left behind are of no use.
    if (!stored) await partial.truncate();
    await partial.close();
  }
  const release = models.hold(stored.digest);
  try {
    yield pulling(stored.digest, stored.size, stored.size);
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
function refuseOthers(beginning: Uint8Array): void {
  if (new TextDecoder().decode(beginning.subarray(0, 4)) === 'GGUF') return;
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
