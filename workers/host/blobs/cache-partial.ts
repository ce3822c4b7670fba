import type { IHasher } from 'hash-wasm';
import { type BlobInfo, type Digest, DigestMismatch, type PartialBlob } from '#core/host';
import type { CacheFolder } from './cache-folder.ts';
import { newHasher } from './hasher.ts';

/** Bytes are collected up to this size: every piece is an entry of the cache, and a crash loses no more than one. */
const PIECE = 8 * 2 ** 20;

/** Opens a partial whose lock is held; `release` gives the lock back. */
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
  readonly #buffer = new Uint8Array(PIECE);
  #buffered = 0;
  #open = true;

  constructor(
    private readonly folder: CacheFolder,
    private readonly name: string,
    private readonly set: string,
    private readonly hasher: IHasher,
    private stored: number,
    private pieces: number,
    private readonly release: () => void,
  ) {}

  get size(): number {
    return this.stored + this.#buffered;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#mustBeOpen();
    for (let offset = 0; offset < bytes.length; ) {
      if (this.#buffered === PIECE) await this.#flush();
      const part = bytes.subarray(offset, offset + PIECE - this.#buffered);
      this.#buffer.set(part, this.#buffered);
      this.hasher.update(part);
      this.#buffered += part.length;
      offset += part.length;
    }
    if (this.#buffered === PIECE) await this.#flush();
  }

  async truncate(): Promise<void> {
    this.#mustBeOpen();
    await this.folder.deletePieces({ set: this.set, pieces: this.pieces });
    this.hasher.init();
    this.stored = 0;
    this.pieces = 0;
    this.#buffered = 0;
  }

  async commit(expected?: Digest): Promise<BlobInfo> {
    this.#mustBeOpen();
    const digest: Digest = `sha256:${this.hasher.digest('hex')}`;
    try {
      if (expected !== undefined && expected !== digest) {
        await this.folder.deletePartial(this.name);
        await this.folder.deletePieces({ set: this.set, pieces: this.pieces });
        this.#buffered = 0;
        throw new DigestMismatch(expected, digest);
      }
      await this.#flush();
      const info = { digest, size: this.stored };
      const there = await this.folder.manifest(digest);
      // From here on the pieces are not the partial's any more: who opens it again starts with none.
      await this.folder.deletePartial(this.name);
      if (there) await this.folder.deletePieces({ set: this.set, pieces: this.pieces });
      else await this.folder.putManifest(digest, { size: this.stored, set: this.set, pieces: this.pieces });
      return info;
    } finally {
      this.#open = false;
      this.release();
    }
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    try {
      await this.#flush();
    } finally {
      this.#open = false;
      this.release();
    }
  }

  async #flush(): Promise<void> {
    if (this.#buffered === 0) return;
    await this.folder.putPiece(this.set, this.pieces, this.#buffer.slice(0, this.#buffered));
    this.pieces++;
    this.stored += this.#buffered;
    this.#buffered = 0;
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new Error('this partial is closed');
  }
}
