import { blobFileName, type Digest } from '#core/host';
import { digestOfFileName } from './blob-names.ts';
import { storageError } from './storage-full.ts';

/** The list of a blob's pieces: 0 to `pieces` - 1 of the set, in order. */
export interface PieceManifest {
  size: number;
  set: string;
  pieces: number;
}

/** The beginning of the cache's keys, which must be URLs. Nothing is fetched from them. */
const BASE = 'https://blobs.tabd.invalid';

/** Manifests, pieces and partials in a cache. Writes reject with `StorageFull` when the quota is used up. */
export class CacheFolder {
  constructor(private readonly cache: Cache) {}

  async manifest(digest: Digest): Promise<PieceManifest | undefined> {
    return this.#json<PieceManifest>(`/blobs/${blobFileName(digest)}`);
  }

  putManifest(digest: Digest, manifest: PieceManifest): Promise<void> {
    return this.#put(`/blobs/${blobFileName(digest)}`, JSON.stringify(manifest));
  }

  deleteManifest(digest: Digest): Promise<boolean> {
    return this.cache.delete(`${BASE}/blobs/${blobFileName(digest)}`);
  }

  async digests(): Promise<Digest[]> {
    const names = (await this.cache.keys()).flatMap(({ url }) =>
      url.startsWith(`${BASE}/blobs/`) ? url.slice(BASE.length + '/blobs/'.length) : [],
    );
    return names.flatMap((name) => digestOfFileName(name) ?? []);
  }

  /** The set of a partial's pieces. Undefined for a partial that does not exist. */
  async partialSet(name: string): Promise<string | undefined> {
    return (await this.#json<{ set: string }>(`/partials/${name}`))?.set;
  }

  putPartialSet(name: string, set: string): Promise<void> {
    return this.#put(`/partials/${name}`, JSON.stringify({ set }));
  }

  async deletePartial(name: string): Promise<void> {
    await this.cache.delete(`${BASE}/partials/${name}`);
  }

  async piece(set: string, index: number): Promise<Blob | undefined> {
    return (await this.cache.match(`${BASE}/pieces/${set}/${index}`))?.blob();
  }

  putPiece(set: string, index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#put(`/pieces/${set}/${index}`, bytes);
  }

  async deletePieces({ set, pieces }: Pick<PieceManifest, 'set' | 'pieces'>): Promise<void> {
    for (let index = 0; index < pieces; index++) await this.cache.delete(`${BASE}/pieces/${set}/${index}`);
  }

  /** Deletes all pieces of a set, until an index is missing. For sets without a manifest. */
  async deleteSet(set: string): Promise<void> {
    for (let index = 0; await this.cache.delete(`${BASE}/pieces/${set}/${index}`); index++);
  }

  async #json<T>(path: string): Promise<T | undefined> {
    return (await this.cache.match(BASE + path))?.json();
  }

  async #put(path: string, body: BodyInit): Promise<void> {
    try {
      await this.cache.put(BASE + path, new Response(body));
    } catch (error) {
      throw storageError(error);
    }
  }
}
