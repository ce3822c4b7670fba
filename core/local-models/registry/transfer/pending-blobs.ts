import type { Host } from '#core/host';

/** A file that is on its way, or an uploaded blob that no model has yet. */
export interface PendingBlob {
  /** The file's name in messages to users. */
  name: string;
  /** The ETag of the file that is being downloaded. */
  validator?: string;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** The records of pending blobs: keyed by the name of the partial, or by `uploadKey`. */
export const pendingBlobs = (records: Host['records']) => records.collection<PendingBlob>('pulls');

const UPLOADED = 'uploaded-';

/** The record of a complete upload. */
export const uploadKey = (digest: string): string => UPLOADED + digest;

/** The digest in an `uploadKey`. Undefined: the key is the name of a partial. */
export const uploadedDigest = (key: string): string | undefined =>
  key.startsWith(UPLOADED) ? key.slice(UPLOADED.length) : undefined;
