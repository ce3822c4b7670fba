import { type Digest, type Host, ModelCorrupt, type ModelFile, type ModelFormat } from '#core/host';
import { readGgufHeader } from '#core/tensors';
import type { ModelMetadata } from '../../base/installed-model.ts';
import { arrayFilter, ggufMetadata } from './gguf/gguf-metadata.ts';
import { joinParts } from './gguf/join-parts.ts';

/** The largest number of models whose metadata is cached. */
const MAX_CACHED = 32;
/** Bytes of all cached metadata. A crafted file can hold more text than many real ones together. */
const MAX_BYTES = 64 * 1024 * 1024;

interface CachedMetadata {
  metadata: Promise<ModelMetadata>;
  /** Bytes, about. 0 while it is being read. */
  bytes: number;
}

/** The metadata of the most recently used models. Blobs never change, so that no entry becomes outdated. */
export class MetadataCache {
  readonly #host: Pick<Host, 'blobs'>;
  readonly #cache = new Map<string, CachedMetadata>();

  constructor(host: Pick<Host, 'blobs'>) {
    this.#host = host;
  }

  /**
   * The metadata of a GGUF file.
   * @throws BlobMissing, or ModelCorrupt when it is no complete GGUF file
   */
  ofFile(digest: Digest): Promise<ModelMetadata> {
    return this.#cached(digest, () => this.read(digest, false));
  }

  /**
   * The metadata of a model in any format.
   * @throws BlobMissing, or ModelCorrupt when files are missing or damaged
   */
  ofModel(files: ModelFile[], format: ModelFormat): Promise<ModelMetadata> {
    const weights = files.find(({ role }) => role === 'weights');
    if (!weights) return Promise.reject(new ModelCorrupt('it has no weights'));
    const isSplit = files.some(({ role }) => role === 'part');
    if (format !== 'gguf' || isSplit) {
      const key = files.map(({ name, digest }) => `${name}=${digest}`).join(' ');
      if (format === 'gguf') return this.#cached(key, () => this.#ofParts(files));
      return this.#cached(key, async () => {
        const { METADATA_READERS } = await import('./lazy.ts');
        return METADATA_READERS[format](this.#host.blobs, files);
      });
    }
    return this.ofFile(weights.digest);
  }

  /** Reads the metadata of a GGUF file without the cache. */
  async read(digest: Digest, withLongArrays: boolean): Promise<ModelMetadata> {
    const size = (await this.#host.blobs.stat(digest))?.size ?? 0;
    const stream = this.#host.blobs.read(digest);
    return ggufMetadata(await readGgufHeader(stream, size, arrayFilter(withLongArrays)), withLongArrays);
  }

  /** The metadata of a split file: its first part has the settings, each part has some of the tensors. */
  async #ofParts(files: ModelFile[]): Promise<ModelMetadata> {
    const digests = [
      ...files.filter(({ role }) => role === 'weights'),
      ...files.filter(({ role }) => role === 'part'),
    ].map(({ digest }) => digest);
    return joinParts(await Promise.all(digests.map((digest) => this.read(digest, false))));
  }

  async #cached(key: string, read: () => Promise<ModelMetadata>): Promise<ModelMetadata> {
    const cached = this.#cache.get(key);
    const entry = cached ?? { metadata: read(), bytes: 0 };
    // Moves the entry to the end: the first one is the least recently used.
    this.#cache.delete(key);
    this.#cache.set(key, entry);
    if (cached) return await cached.metadata;
    try {
      const metadata = await entry.metadata;
      entry.bytes = bytesOf(metadata);
      return metadata;
    } catch (error) {
      if (this.#cache.get(key) === entry) this.#cache.delete(key);
      throw error;
    } finally {
      this.#evict();
    }
  }

  #evict(): void {
    let bytes = [...this.#cache.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of this.#cache) {
      if (this.#cache.size <= MAX_CACHED && bytes <= MAX_BYTES) return;
      this.#cache.delete(key);
      bytes -= entry.bytes;
    }
  }
}

/** Bytes of an object or a number in memory, about. */
const VALUE_BYTES = 64;

/** The bytes that metadata takes in memory, about. */
function bytesOf({ keyValues, tensors }: ModelMetadata): number {
  return bytesOfValue(keyValues) + bytesOfValue(tensors);
}

function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce<number>((sum, inner) => sum + bytesOfValue(inner), VALUE_BYTES);
}
