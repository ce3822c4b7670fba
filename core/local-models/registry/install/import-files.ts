import { withoutPartNumber } from '#core/base';
import type { Digest, Host, ModelFile } from '#core/host';
import { ApiError } from '#core/http';
import { modelNameOfFile, parseReference } from '../names/model-reference.ts';
import { type PullProgress, pullingLine } from '../progress.ts';
import { formatModelSize } from '../transfer/format-bytes.ts';
import { install } from './install.ts';
import type { InstallContext } from './installation.ts';
import { readFiles, weightsOf } from './read-files.ts';
import { resultOf, storeStream } from './store-stream.ts';

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
 * Copies the files of a model of this machine into the store and installs it.
 * @param name the empty text: a name is derived from the first file's
 * @param files one file, or all parts of one that was split, in any order. A projector may be among them
 * @throws ApiError 400 when they are no GGUF files of one model, 507 when they do not fit
 */
export async function* importFiles(
  context: InstallContext & { host: Pick<Host, 'blobs' | 'clock' | 'log' | 'records'> },
  name: string,
  files: readonly ImportedFile[],
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const { host, models } = context;
  const [first] = files;
  if (!first) throw new ApiError(400, 'there is no file to import');
  const fileName = withoutPartNumber(first.name);
  const modelName = name === '' ? modelNameOfFile(first.name) : parseReference(name).name;
  yield { status: 'parsing GGUF' };
  await checkSpace(host, files);
  const stored: { name: string; digest: Digest }[] = [];
  const releases: (() => void)[] = [];
  let isInstalled = false;
  try {
    const progress = { status: `copying ${fileName}`, total: totalSize(files), completed: 0 };
    for (const file of files) {
      const { digest, size } = yield* copy(host, file, progress, signal);
      progress.completed += size;
      releases.push(models.holdBlob(digest));
      stored.push({ name: file.name, digest });
      yield pullingLine(digest, size, size);
    }
    const read = readFiles(
      context,
      stored.map(({ name, digest }) => [name, digest]),
    );
    const modelFiles = await resultOf(read);
    checkRoles(modelFiles, first.name);
    yield* install(context, {
      name: modelName,
      origin: fileName,
      files: modelFiles,
      texts: { licences: [] },
    });
    isInstalled = true;
  } finally {
    for (const release of releases) release();
    if (!isInstalled) for (const { digest } of stored) await models.deleteUnlessUsed(digest);
  }
}

function checkRoles(files: ModelFile[], name: string): void {
  if (weightsOf(files)) return;
  throw new ApiError(400, `${name} has the role ${files[0]!.role}: import it together with its model`);
}

/** @param progress the line at the start of this file */
async function* copy(
  host: Pick<Host, 'blobs' | 'clock' | 'log' | 'records'>,
  file: ImportedFile,
  progress: PullProgress & { completed: number },
  signal: AbortSignal,
) {
  yield progress;
  const copying = storeStream(host, file.stream(), signal, refuseOtherFormats);
  let reportedAt = host.clock.now();
  let step = await copying.next();
  try {
    for (; !step.done; step = await copying.next()) {
      if (host.clock.now() - reportedAt < REPORT_INTERVAL) continue;
      reportedAt = host.clock.now();
      yield { ...progress, completed: progress.completed + step.value };
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

const totalSize = (files: readonly ImportedFile[]) => files.reduce((sum, { size }) => sum + size, 0);

async function checkSpace(host: Pick<Host, 'blobs'>, files: readonly ImportedFile[]): Promise<void> {
  const free = await host.blobs.freeSpace();
  const size = totalSize(files);
  if (free === undefined || free >= size) return;
  throw new ApiError(
    507,
    `not enough space for ${withoutPartNumber(files[0]!.name)}: ${formatModelSize(size)} are needed and ${formatModelSize(free)} are free; ` +
      'delete a model or other files and import it again',
  );
}
