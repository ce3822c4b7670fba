import { sleep } from '#core/base';
import {
  type BlobInfo,
  type Digest,
  DigestMismatch,
  type Host,
  type LocatedFile,
  type PartialBlob,
  StorageFull,
} from '#core/host';
import { backoff } from './backoff.ts';
import { ConnectionError, HttpStatusError, SourceChanged } from './http-file.ts';
import { readPieces } from './pieces.ts';

/** Failures in a row, without a byte between them, after which a source is given up. */
const mostFailures = 5;
/** A connection that is silent for so long is given up and made anew (milliseconds). */
const longestSilence = 30_000;

type DownloadHost = Pick<Host, 'blobs' | 'records' | 'clock' | 'log'>;

/** What is known of a partial, so that a later pull goes on with the same file. */
interface Begun {
  name: string;
  validator?: string;
  startedAt: number;
}

/** One file on its way. */
export interface DownloadJob {
  host: DownloadHost;
  file: LocatedFile;
  /** Of the partial. */
  key: string;
  signal: AbortSignal;
  /** Bytes that are here, called often. */
  onProgress(completed: number): void;
}

/**
 * Brings a file here as a verified blob. What a former try left is continued; broken connections are made again; a
 * wrong digest is tried once more from the beginning. Throws `StorageFull`, `DigestMismatch`, `HttpStatusError`,
 * `ConnectionError` or the signal's reason; the bytes that arrived stay for the next pull, except after a mismatch.
 */
export async function download(job: DownloadJob): Promise<BlobInfo> {
  const { host, file, key, signal } = job;
  for (let again = false; ; again = true) {
    const partial = await host.blobs.openPartial(key, signal);
    try {
      // Another pull may have brought the same file while this one waited for the partial.
      const present = file.digest && (await host.blobs.stat(file.digest));
      if (present) {
        await partial.truncate();
        return present;
      }
      await new Download(job, partial).fill();
      const blob = await partial.commit(file.digest);
      await host.records.collection<Begun>('pulls').delete(key);
      return blob;
    } catch (error) {
      if (!(error instanceof DigestMismatch) || again) throw error;
      host.log.warn('a download arrived damaged and is tried again', { file: file.name, ...error });
      job.onProgress(0);
    } finally {
      await partial.close();
    }
  }
}

class Download {
  constructor(
    private readonly job: DownloadJob,
    private readonly partial: PartialBlob,
  ) {}

  /** Appends until the file is complete. */
  async fill(): Promise<void> {
    const { job, partial } = this;
    const { host, file, signal } = job;
    await this.#continueOrStartOver();
    let failures = 0;
    for (;;) {
      const before = partial.size;
      job.onProgress(before);
      if (file.size !== undefined && before === file.size) return;
      try {
        await checkSpace(host, file, partial);
        await this.#attempt();
        if (file.size === undefined || partial.size === file.size) return;
        if (partial.size > file.size) throw new SourceChanged(`${file.name} is longer than announced`);
        throw new ConnectionError(`${file.name}: unexpected EOF`);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof SourceChanged) {
          await partial.truncate();
          file.validator = undefined;
        } else if (!isPassing(error)) {
          throw error;
        }
        failures = partial.size > before ? 1 : failures + 1;
        if (failures >= mostFailures) throw error;
        const asked = error instanceof HttpStatusError ? Math.min(error.retryAfter ?? 0, 60_000) : 0;
        const pause = Math.max(backoff(failures), asked);
        host.log.info('a download broke off and is continued', {
          file: file.name,
          at: partial.size,
          in: pause,
          reason: String(error),
        });
        await sleep(host.clock, pause, signal);
      }
    }
  }

  async #continueOrStartOver(): Promise<void> {
    const { partial } = this;
    const { host, file, key } = this.job;
    const begun = await host.records.collection<Begun>('pulls').get(key);
    if (partial.size > 0 && !file.digest) {
      // Without a digest or a validator nobody could tell whether the rest belongs to these bytes.
      if (begun?.validator) file.validator = begun.validator;
      else await partial.truncate();
    }
    if (file.size !== undefined && partial.size > file.size) await partial.truncate();
  }

  /** One connection: from where the partial ends, as far as it carries. */
  async #attempt(): Promise<void> {
    const { partial } = this;
    const { host, file, key, signal, onProgress } = this.job;
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    let quiet = () => {};
    const listen = () => {
      quiet();
      quiet = host.clock.after(longestSilence, () =>
        silence.abort(new ConnectionError(`${file.name}: no data for ${longestSilence / 1000} s`)),
      );
    };
    listen();
    try {
      const body = await file.open(partial.size, either);
      const begun: Begun = { name: file.name, startedAt: host.clock.now() };
      if (file.validator) begun.validator = file.validator;
      await host.records.collection<Begun>('pulls').put(key, begun);
      let arrived = partial.size;
      const pieces = readPieces(body, either, (bytes) => {
        listen();
        arrived += bytes;
        onProgress(file.size === undefined ? arrived : Math.min(arrived, file.size));
      });
      for await (const piece of pieces) {
        if (file.size !== undefined && partial.size + piece.length > file.size) {
          throw new SourceChanged(`${file.name} is longer than announced`);
        }
        await partial.append(piece);
      }
    } finally {
      quiet();
    }
  }
}

async function checkSpace(host: DownloadHost, file: LocatedFile, partial: PartialBlob): Promise<void> {
  if (file.size === undefined) return;
  const free = await host.blobs.freeSpace();
  const needed = file.size - partial.size;
  if (free === undefined || free >= needed) return;
  throw new StorageFull(
    `not enough space for ${file.name}: ${megabytes(needed)} are needed and ${megabytes(free)} are free; ` +
      'delete a model or other files and pull again',
  );
}

/** Whether trying again may help. Errors that nobody foresaw (a broken stream) are of that kind. */
function isPassing(error: unknown): boolean {
  if (error instanceof StorageFull || error instanceof DigestMismatch) return false;
  if (error instanceof HttpStatusError) return error.status >= 500 || [408, 425, 429].includes(error.status);
  return true;
}

export function megabytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}

/** The partial of a file: one for all models and sources that have the same bytes. */
export function partialKey(digest: Digest): string {
  return digest.replace(':', '-');
}
