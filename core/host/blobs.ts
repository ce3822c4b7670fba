/**
 * Large files that are named by their content. On disk the file is called `sha256-<hex>`.
 *
 * ```
 * openPartial -> append*, truncate* -> commit   the bytes become a blob, once their digest is known
 *                                   -> close    the bytes stay for a later openPartial of the same key
 * ```
 *
 * A blob is always complete: its bytes arrive in a partial.
 */

/** `sha256:` and 64 hexadecimal digits in lower case. */
export type Digest = `sha256:${string}`;

/** `sha256-<hex>`, the name of a blob's file: file names may not contain a colon. */
export const blobFileName = (digest: Digest): string => digest.replace(':', '-');

/** A stored blob. */
export interface BlobInfo {
  digest: Digest;
  /** Bytes. */
  size: number;
}

/** A store of blobs and partials. It belongs to the host, which closes it. */
export interface Blobs {
  /** Undefined: no such blob is stored. */
  stat(digest: Digest): Promise<BlobInfo | undefined>;
  /** All blobs, in no order. */
  list(): Promise<BlobInfo[]>;
  /**
   * Bytes [start, end) of the blob. The caller reads the stream to its end or cancels it.
   * The stream fails with `BlobMissing` when there is no such blob.
   */
  read(digest: Digest, start?: number, end?: number): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Returns false when there is no such blob. */
  delete(digest: Digest): Promise<boolean>;
  /**
   * Opens the partial called `key`, or resumes it: bytes of an earlier process are kept and hashed again. Only one writer
   * has it open; the promise waits until another one closes it. The caller ends it by `commit` or `close`.
   * @param signal ends the wait; the promise then rejects with its reason
   */
  openPartial(key: string, signal?: AbortSignal): Promise<PartialBlob>;
  /**
   * Makes a blob that is read from another program's folder a blob of this store, if that needs no second copy. Otherwise
   * it stays where it is. Does nothing for blobs of this store.
   */
  adopt?(digest: Digest): Promise<void>;
  /**
   * Deletes the partial called `key` with its bytes, as soon as its writer has closed it.
   * @param signal ends the wait; the promise then rejects with its reason
   */
  deletePartial(key: string, signal?: AbortSignal): Promise<void>;
  /** Bytes that can still be written. Undefined where the platform does not say. */
  freeSpace(): Promise<number | undefined>;
}

/** The bytes of a download so far, locked against a second writer. Ended by `commit` or `close`. */
export interface PartialBlob {
  /** Bytes that are stored and hashed: the offset at which a resumed download starts. */
  readonly size: number;
  /** Rejects with `StorageFull` when the disk or the quota is full. Earlier bytes stay and can be resumed. */
  append(bytes: Uint8Array): Promise<void>;
  /** Deletes the bytes, so that writing starts again at 0. */
  truncate(): Promise<void>;
  /**
   * Turns the partial into a blob and closes it.
   * Rejects with `DigestMismatch` when the bytes have another digest than `expected`; they are deleted then.
   */
  commit(expected?: Digest): Promise<BlobInfo>;
  /** Releases the lock. The bytes stay for a later `openPartial`. */
  close(): Promise<void>;
}

/** There is no blob of this digest. */
export class BlobMissing extends Error {
  override name = 'BlobMissing';
  constructor(readonly digest: string) {
    super(`blob ${digest} is not stored here`);
  }
}

/** The bytes of a partial have another digest than they should. */
export class DigestMismatch extends Error {
  override name = 'DigestMismatch';
  constructor(
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`digest mismatch, expected "${expected}", got "${actual}"`);
  }
}

/** The disk or the quota of this site is full. */
export class StorageFull extends Error {
  override name = 'StorageFull';
}
