import { type Digest, type Host, ModelCorrupt, type ModelFile, type ModelFormat } from '#core/host';
import type { ModelMetadata } from '../../base/installed-model.ts';
import { readGgufHeader } from './gguf/header.ts';
import { keepArray, metadataOf } from './gguf/metadata.ts';
import { mlcMetadata } from './mlc/mlc-metadata.ts';
import { diffusersMetadata } from './onnx/diffusers-metadata.ts';
import { onnxMetadata } from './onnx/onnx-metadata.ts';

const most = 32;

/** Metadata of stored model files, the most recently used kept; a blob never changes, so nothing goes stale. */
export class MetadataCache {
  readonly #host: Pick<Host, 'blobs'>;
  readonly #found = new Map<string, Promise<ModelMetadata>>();

  constructor(host: Pick<Host, 'blobs'>) {
    this.#host = host;
  }

  /** Throws `BlobMissing`, or `ModelCorrupt` for what is no whole GGUF file. */
  get(digest: Digest): Promise<ModelMetadata> {
    return this.#cached(digest, () => this.read(digest, false));
  }

  /** Of a whole model, in whatever format it is. */
  ofModel(files: ModelFile[], format: ModelFormat): Promise<ModelMetadata> {
    const weights = files.find(({ role }) => role === 'weights');
    if (!weights) return Promise.reject(new ModelCorrupt('it has no weights'));
    if (format !== 'gguf') {
      const read = { onnx: onnxMetadata, mlc: mlcMetadata, diffusers: diffusersMetadata }[format];
      const key = files.map(({ name, digest }) => `${name}=${digest}`).join(' ');
      return this.#cached(key, () => read(this.#host.blobs, files));
    }
    return this.get(weights.digest);
  }

  async #cached(digest: string, read: () => Promise<ModelMetadata>): Promise<ModelMetadata> {
    const known = this.#found.get(digest);
    const found = known ?? read();
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
