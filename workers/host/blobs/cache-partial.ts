import type { IHasher } from 'hash-wasm';
import { type BlobInfo, type Digest, DigestMismatch, type PartialBlob } from '#core/host';
import type { CacheFolder } from './cache-folder.ts';
import { newHasher } from './hasher.ts';

/** Bytes. Each piece is an entry of the cache. A crash loses at most the bytes that were collected for one piece. */
const PIECE_SIZE = 8 * 2 ** 20;

/**
 * Opens a partial and hashes its stored pieces. The caller holds the partial's lock.
 * @param release releases that lock; called on `commit` and `close`
 */
export async function openCachePartial(
  folder: CacheFolder,
  name: string,
  release: () => void,
  signal?: AbortSignal,
): Promise<PartialBlob> {
  const hasher = await newHasher();
  let set = await folder.partialSet(name);
  if (set === undefined) {
    set = crypto.randomUUID();
    await folder.putPartialSet(name, set);
  }
  let size = 0;
  let pieces = 0;
  for (;;) {
    signal?.throwIfAborted();
    const piece = await folder.piece(set, pieces);
    if (!piece) break;
    hasher.update(new Uint8Array(await piece.arrayBuffer()));
    size += piece.size;
    pieces++;
  }
  return new CachePartial(folder, name, set, hasher, size, pieces, release);
}

class CachePartial implements PartialBlob {
  /** Bytes of the piece that is not stored yet. */
  readonly #buffer = new Uint8Array(PIECE_SIZE);
  #buffered = 0;
  #isOpen = true;

  constructor(
    private readonly folder: CacheFolder,
    private readonly name: string,
    private readonly set: string,
    private readonly hasher: IHasher,
    private storedBytes: number,
    private pieces: number,
    private readonly release: () => void,
  ) {}

  get size(): number {
    return this.storedBytes + this.#buffered;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#requireOpen();
    for (let offset = 0; offset < bytes.length; ) {
      if (this.#buffered === PIECE_SIZE) await this.#flush();
      const part = bytes.subarray(offset, offset + PIECE_SIZE - this.#buffered);
      this.#buffer.set(part, this.#buffered);
      this.hasher.update(part);
      this.#buffered += part.length;
      offset += part.length;
    }
    if (this.#buffered === PIECE_SIZE) await this.#flush();
  }

  async truncate(): Promise<void> {
    this.#requireOpen();
    await this.folder.deletePieces({ set: this.set, pieces: this.pieces });
    this.hasher.init();
    this.storedBytes = 0;
    this.pieces = 0;
    this.#buffered = 0;
  }

  async commit(expected?: Digest): Promise<BlobInfo> {
    this.#requireOpen();
    const digest: Digest = `sha256:${this.hasher.digest('hex')}`;
    try {
      if (expected !== undefined && expected !== digest) {
        await this.folder.deletePartial(this.name);
        await this.folder.deletePieces({ set: this.set, pieces: this.pieces });
        this.#buffered = 0;
        throw new DigestMismatch(expected, digest);
      }
      await this.#flush();
      const info = { digest, size: this.storedBytes };
      const isStored = await this.folder.manifest(digest);
      // From now on the pieces belong to the blob: opening the partial again begins an empty one.
      await this.folder.deletePartial(this.name);
      if (isStored) await this.folder.deletePieces({ set: this.set, pieces: this.pieces });
      else
        await this.folder.putManifest(digest, { size: this.storedBytes, set: this.set, pieces: this.pieces });
      return info;
    } finally {
      this.#isOpen = false;
      this.release();
    }
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      await this.#flush();
    } finally {
      this.#isOpen = false;
      this.release();
    }
  }

  async #flush(): Promise<void> {
    if (this.#buffered === 0) return;
    await this.folder.putPiece(this.set, this.pieces, this.#buffer.slice(0, this.#buffered));
    this.pieces++;
    this.storedBytes += this.#buffered;
    this.#buffered = 0;
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('this partial is closed');
  }
}
