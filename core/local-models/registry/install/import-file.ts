import type { Host } from '#core/host';
import { ApiError } from '#core/http';
import { modelNameOfFile, parseReference } from '../names/model-reference.ts';
import { type PullProgress, pullingLine } from '../progress.ts';
import { formatModelSize } from '../transfer/format-bytes.ts';
import { install } from './install.ts';
import type { InstallContext } from './installation.ts';
import { storeStream } from './store-stream.ts';

/** A model file on this machine. */
export interface ImportedFile {
  name: string;
  /** In bytes. */
  size: number;
  stream(): ReadableStream<Uint8Array>;
}

/** The least time between two lines of progress, in milliseconds. */
const REPORT_INTERVAL = 60;

/**
 * Copies a model file of this machine into the store and installs it.
 * @param name the empty text: a name is derived from the file's
 * @throws ApiError 400 when the file is no GGUF file, 507 when it does not fit
 */
export async function* importFile(
  context: InstallContext & { host: Pick<Host, 'blobs' | 'clock' | 'log' | 'records'> },
  name: string,
  file: ImportedFile,
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const { host, models } = context;
  const modelName = name === '' ? modelNameOfFile(file.name) : parseReference(name).name;
  yield { status: 'parsing GGUF' };
  await checkSpace(host, file);
  const stored = yield* copy(host, file, signal);
  const release = models.holdBlob(stored.digest);
  try {
    yield pullingLine(stored.digest, stored.size, stored.size);
    yield* install(context, {
      name: modelName,
      origin: file.name,
      files: [{ role: 'weights', ...stored }],
      texts: { licences: [] },
    });
  } catch (error) {
    release();
    if (error instanceof ApiError) await models.deleteUnlessUsed(stored.digest);
    throw error;
  } finally {
    release();
  }
}

async function* copy(
  host: Pick<Host, 'blobs' | 'clock' | 'log' | 'records'>,
  file: ImportedFile,
  signal: AbortSignal,
) {
  const status = `copying ${file.name}`;
  yield { status, total: file.size };
  const copying = storeStream(host, file.stream(), signal, refuseOtherFormats);
  let reportedAt = host.clock.now();
  let step = await copying.next();
  try {
    for (; !step.done; step = await copying.next()) {
      if (host.clock.now() - reportedAt < REPORT_INTERVAL) continue;
      reportedAt = host.clock.now();
      yield { status, total: file.size, completed: step.value };
    }
  } finally {
    if (!step.done) {
      await copying.throw(new DOMException('nobody waits for this import', 'AbortError')).catch(() => {});
    }
  }
  return step.value;
}

/** Checks the first piece, so that a large file of another format is not copied to its end. */
function refuseOtherFormats(piece: Uint8Array, offset: number): void {
  if (offset > 0 || new TextDecoder().decode(piece.subarray(0, 4)) === 'GGUF') return;
  throw new ApiError(400, 'supplied file was not in GGUF format');
}

async function checkSpace(host: Pick<Host, 'blobs'>, file: ImportedFile): Promise<void> {
  const free = await host.blobs.freeSpace();
  if (free === undefined || free >= file.size) return;
  throw new ApiError(
    507,
    `not enough space for ${file.name}: ${formatModelSize(file.size)} are needed and ${formatModelSize(free)} are free; ` +
      'delete a model or other files and import it again',
  );
}
