/**
 * Content-addressed large files. A digest is `sha256:<64 lower-case hex>`; on disk the file is `sha256-<hex>`.
 * A blob exists only whole: bytes arrive in a partial, which becomes a blob when its digest has been verified.
 */
export type Digest = `sha256:${string}`;

export interface BlobInfo {
  digest: Digest;
  size: number;
}

export interface Blobs {
  stat(digest: Digest): Promise<BlobInfo | undefined>;
  list(): Promise<BlobInfo[]>;
  /** Bytes [start, end) of the blob. Throws `BlobMissing` when it is not there. */
  read(digest: Digest, start?: number, end?: number): ReadableStream<Uint8Array<ArrayBuffer>>;
  delete(digest: Digest): Promise<boolean>;
  /**
   * Opens (or resumes) the partial called `key`, locked against a second writer: the promise waits for the other to
   * close. Bytes that a former process left are kept and hashed again. `signal` ends the wait.
   */
  openPartial(key: string, signal?: AbortSignal): Promise<PartialBlob>;
  /**
   * Makes a blob that is only read beside ours one of ours, where that costs no second copy. Otherwise it stays where
   * it is. For blobs that are ours already it does nothing.
   */
  adopt?(digest: Digest): Promise<void>;
  /** Drops the partial called `key` with its bytes, when its writer has closed. `signal` ends that wait. */
  deletePartial(key: string, signal?: AbortSignal): Promise<void>;
  /** Bytes that can still be written here, or undefined where the platform does not tell. */
  freeSpace(): Promise<number | undefined>;
}

export interface PartialBlob {
  /** Bytes present and hashed: where a resumed download starts. */
  readonly size: number;
  /** Throws `StorageFull` when the disk or the quota is full; what was written before stays and can be resumed. */
  append(bytes: Uint8Array): Promise<void>;
  /** Drops the bytes, to start over at 0. */
  truncate(): Promise<void>;
  /**
   * Turns the partial into a blob and closes it. With `expected` given and different from the digest of the bytes:
   * throws `DigestMismatch`, drops the bytes, closes.
   */
  commit(expected?: Digest): Promise<BlobInfo>;
  /** Releases the lock and keeps the bytes for a later resume. */
  close(): Promise<void>;
}

export class BlobMissing extends Error {
  override name = 'BlobMissing';
  constructor(readonly digest: string) {
    super(`blob ${digest} is not stored here`);
  }
}
export class DigestMismatch extends Error {
  override name = 'DigestMismatch';
  constructor(
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`digest mismatch, expected "${expected}", got "${actual}"`);
  }
}
export class StorageFull extends Error {
  override name = 'StorageFull';
}
