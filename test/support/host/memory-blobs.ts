/** Blobs in memory. Partials are hashed while they grow, and become blobs when complete, as on the real hosts. */
import { createSHA256, type IHasher } from 'hash-wasm';
import {
  type BlobInfo,
  BlobMissing,
  type Blobs,
  type Digest,
  DigestMismatch,
  type PartialBlob,
  StorageFull,
} from '#core/host';

const PIECE = 64 * 1024;

export class MemoryBlobs implements Blobs {
  readonly blobs = new Map<Digest, Uint8Array<ArrayBuffer>>();
  /** Bytes of incomplete downloads by key. They remain after the close of their writer. */
  readonly partials = new Map<string, Uint8Array[]>();
  /** The most bytes that all blobs and partials may take together. */
  quota = Number.POSITIVE_INFINITY;
  readonly #writers = new Map<string, Promise<void>>();

  used(): number {
    let sum = 0;
    for (const bytes of this.blobs.values()) sum += bytes.length;
    for (const parts of this.partials.values()) for (const part of parts) sum += part.length;
    return sum;
  }

  /** Stores a complete blob, for the set-up of a test. */
  async put(bytes: Uint8Array): Promise<BlobInfo> {
    const hasher = await createSHA256();
    const digest: Digest = `sha256:${hasher.update(bytes).digest('hex')}`;
    this.blobs.set(digest, new Uint8Array(bytes));
    return { digest, size: bytes.length };
  }

  async stat(digest: Digest): Promise<BlobInfo | undefined> {
    const bytes = this.blobs.get(digest);
    return bytes && { digest, size: bytes.length };
  }

  async list(): Promise<BlobInfo[]> {
    return [...this.blobs].map(([digest, bytes]) => ({ digest, size: bytes.length }));
  }

  read(digest: Digest, start = 0, end?: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const bytes = this.blobs.get(digest);
    if (!bytes) throw new BlobMissing(digest);
    const last = Math.min(end ?? bytes.length, bytes.length);
    let at = start;
    return new ReadableStream({
      pull(controller) {
        if (at >= last) return controller.close();
        const next = Math.min(at + PIECE, last);
        controller.enqueue(bytes.slice(at, next));
        at = next;
      },
    });
  }

  async delete(digest: Digest): Promise<boolean> {
    return this.blobs.delete(digest);
  }

  async openPartial(key: string, signal?: AbortSignal): Promise<PartialBlob> {
    for (let writer = this.#writers.get(key); writer; writer = this.#writers.get(key)) {
      await abortable(writer, signal);
    }
    signal?.throwIfAborted();
    let release = () => {};
    this.#writers.set(
      key,
      new Promise((resolve) => {
        release = resolve;
      }),
    );
    const unlock = () => {
      this.#writers.delete(key);
      release();
    };
    const hasher = await createSHA256();
    hasher.init();
    for (const part of this.partials.get(key) ?? []) hasher.update(part);
    return new MemoryPartial(this, key, hasher, unlock);
  }

  async deletePartial(key: string, signal?: AbortSignal): Promise<void> {
    const partial = await this.openPartial(key, signal);
    await partial.truncate();
    await partial.close();
  }

  async freeSpace(): Promise<number | undefined> {
    return this.quota === Number.POSITIVE_INFINITY ? undefined : Math.max(0, this.quota - this.used());
  }
}

class MemoryPartial implements PartialBlob {
  #closed = false;

  constructor(
    private readonly owner: MemoryBlobs,
    private readonly key: string,
    private readonly hasher: IHasher,
    private readonly unlock: () => void,
  ) {}

  get size(): number {
    return (this.owner.partials.get(this.key) ?? []).reduce((sum, part) => sum + part.length, 0);
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#mustBeOpen();
    if (this.owner.used() + bytes.length > this.owner.quota) throw new StorageFull('no space left');
    const parts = this.owner.partials.get(this.key) ?? [];
    parts.push(bytes.slice());
    this.owner.partials.set(this.key, parts);
    this.hasher.update(bytes);
  }

  async truncate(): Promise<void> {
    this.#mustBeOpen();
    this.owner.partials.delete(this.key);
    this.hasher.init();
  }

  async commit(expected?: Digest): Promise<BlobInfo> {
    this.#mustBeOpen();
    const parts = this.owner.partials.get(this.key) ?? [];
    const digest: Digest = `sha256:${this.hasher.digest('hex')}`;
    this.owner.partials.delete(this.key);
    await this.close();
    if (expected !== undefined && expected !== digest) throw new DigestMismatch(expected, digest);
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.owner.blobs.set(digest, bytes);
    return { digest, size: bytes.length };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.unlock();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new Error(`partial ${this.key} is closed`);
  }
}

/** Waits for `promise`, or rejects with the signal's reason. */
export function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
