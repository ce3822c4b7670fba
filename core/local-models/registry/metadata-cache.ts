import type { Digest } from '../../host/blobs.ts';
import type { Host } from '../../host/host.ts';
import { readGgufHeader } from './gguf/header.ts';
import { keepArray, metadataOf } from './gguf/metadata.ts';
import type { ModelMetadata } from './types.ts';

const most = 32;

/** Metadata of stored model files, the most recently used kept; a blob never changes, so nothing goes stale. */
export class MetadataCache {
  readonly #host: Pick<Host, 'blobs'>;
  readonly #found = new Map<Digest, Promise<ModelMetadata>>();

  constructor(host: Pick<Host, 'blobs'>) {
    this.#host = host;
  }

  /** Throws `BlobMissing`, or `ModelCorrupt` for what is no whole GGUF file. */
  async get(digest: Digest): Promise<ModelMetadata> {
    const known = this.#found.get(digest);
    const found = known ?? this.read(digest, false);
    this.#found.delete(digest);
    this.#found.set(digest, found);
    if (!known) {
      found.catch(() => this.#found.delete(digest));
      const [oldest] = this.#found.keys();
      if (this.#found.size > most && oldest) this.#found.delete(oldest);
    }
    return await found;
  }

  async read(digest: Digest, arrays: boolean): Promise<ModelMetadata> {
    const size = (await this.#host.blobs.stat(digest))?.size ?? 0;
    const stream = this.#host.blobs.read(digest);
    return metadataOf(await readGgufHeader(stream, size, keepArray(arrays)), arrays);
  }
}
