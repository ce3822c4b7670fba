import { sleep } from '#core/base';
import {
  type BlobInfo,
  DigestMismatch,
  type Host,
  type LocatedFile,
  type PartialBlob,
  StorageFull,
} from '#core/host';
import { backoff } from './backoff.ts';
import { formatModelSize } from './format-bytes.ts';
import { ConnectionError, HttpStatusError, SourceChanged } from './http-file.ts';
import { type PendingBlob, pendingBlobs } from './pending-blobs.ts';
import { readPieces } from './read-pieces.ts';

/** Failures in a row, without a byte between them, after which the download fails. */
const MAX_FAILURES = 5;
/** A connection without data for this time is closed and opened again, in milliseconds. */
const MAX_SILENCE = 30_000;

type DownloadHost = Pick<Host, 'blobs' | 'records' | 'clock' | 'log'>;

/** A file to download. */
export interface DownloadJob {
  host: DownloadHost;
  file: LocatedFile;
  /** The key of the partial in `Blobs`. */
  key: string;
  signal: AbortSignal;
  /** Receives the number of bytes that are stored, for every chunk. */
  onProgress(completed: number): void;
}

/**
 * Downloads a file as a verified blob. Continues an earlier download, reconnects after failures, and starts once more
 * from the beginning after a wrong digest. The bytes of a failed download remain for the next pull, except after a
 * wrong digest.
 * @throws StorageFull, DigestMismatch, HttpStatusError, ConnectionError, or the reason of the signal
 */
export async function download(job: DownloadJob): Promise<BlobInfo> {
  const { host, file, key, signal } = job;
  for (let isRetry = false; ; isRetry = true) {
    const partial = await host.blobs.openPartial(key, signal);
    try {
      // Another pull may have stored the same file while this one waited for the partial.
      const stored = file.digest && (await host.blobs.stat(file.digest));
      if (stored) {
        await partial.truncate();
        return stored;
      }
      await new Download(job, partial).fill();
      const blob = await partial.commit(file.digest);
      await pendingBlobs(host.records).delete(key);
      return blob;
    } catch (error) {
      if (!(error instanceof DigestMismatch) || isRetry) throw error;
      host.log.warn('a download was damaged and starts again', { file: file.name, ...error });
      job.onProgress(0);
    } finally {
      await partial.close();
    }
  }
}

/** One attempt to complete a partial. */
class Download {
  constructor(
    private readonly job: DownloadJob,
    private readonly partial: PartialBlob,
  ) {}

  /** Appends to the partial until the file is complete. */
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
        } else if (!isTransient(error)) {
          throw error;
        }
        failures = partial.size > before ? 1 : failures + 1;
        if (failures >= MAX_FAILURES) throw error;
        const retryAfter = error instanceof HttpStatusError ? Math.min(error.retryAfter ?? 0, 60_000) : 0;
        const pause = Math.max(backoff(failures), retryAfter);
        host.log.info('a download broke off and will continue', {
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
    const pending = await pendingBlobs(host.records).get(key);
    if (partial.size > 0 && !file.digest) {
      // Without a digest and a validator it is unknown whether the stored bytes are of the same file.
      if (pending?.validator) file.validator = pending.validator;
      else await partial.truncate();
    }
    if (file.size !== undefined && partial.size > file.size) await partial.truncate();
  }

  /** Appends the data of one connection, which begins at the end of the partial. */
  async #attempt(): Promise<void> {
    const { partial } = this;
    const { host, file, key, signal, onProgress } = this.job;
    const silence = new AbortController();
    const stop = AbortSignal.any([signal, silence.signal]);
    let cancelTimeout = () => {};
    const restartTimeout = () => {
      cancelTimeout();
      cancelTimeout = host.clock.after(MAX_SILENCE, () =>
        silence.abort(new ConnectionError(`${file.name}: no data for ${MAX_SILENCE / 1000} s`)),
      );
    };
    restartTimeout();
    try {
      const body = await file.open(partial.size, stop);
      const pending: PendingBlob = { name: file.name, startedAt: host.clock.now() };
      if (file.validator) pending.validator = file.validator;
      await pendingBlobs(host.records).put(key, pending);
      let arrived = partial.size;
      const pieces = readPieces(body, stop, (bytes) => {
        restartTimeout();
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
      cancelTimeout();
    }
  }
}

async function checkSpace(host: DownloadHost, file: LocatedFile, partial: PartialBlob): Promise<void> {
  if (file.size === undefined) return;
  const free = await host.blobs.freeSpace();
  const needed = file.size - partial.size;
  if (free === undefined || free >= needed) return;
  throw new StorageFull(
    `not enough space for ${file.name}: ${formatModelSize(needed)} are needed and ${formatModelSize(free)} are free; ` +
      'delete a model or other files and pull again',
  );
}

/** Whether a retry may succeed. True for unknown errors, such as a broken stream. */
function isTransient(error: unknown): boolean {
  if (error instanceof StorageFull || error instanceof DigestMismatch) return false;
  if (error instanceof HttpStatusError) return error.status >= 500 || [408, 425, 429].includes(error.status);
  return true;
}
