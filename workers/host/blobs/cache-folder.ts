import type { Digest } from '#core/host';
import { digestOf, fileName } from './blob-names.ts';
import { storageError } from './storage-full.ts';

/** Pieces 0 to `pieces` - 1 of the set are the bytes of the blob. */
export interface Manifest {
  size: number;
  set: string;
  pieces: number;
}

/** Names in the cache. Nothing is ever fetched from these addresses. */
const BASE = 'https://blobs.tabd.invalid';

export class CacheFolder {
  constructor(private readonly cache: Cache) {}

  async manifest(digest: Digest): Promise<Manifest | undefined> {
    return this.#json<Manifest>(`/blobs/${fileName(digest)}`);
  }

  putManifest(digest: Digest, manifest: Manifest): Promise<void> {
    return this.#put(`/blobs/${fileName(digest)}`, JSON.stringify(manifest));
  }

  deleteManifest(digest: Digest): Promise<boolean> {
    return this.cache.delete(`${BASE}/blobs/${fileName(digest)}`);
  }

  async digests(): Promise<Digest[]> {
    const names = (await this.cache.keys()).flatMap(({ url }) =>
      url.startsWith(`${BASE}/blobs/`) ? url.slice(BASE.length + '/blobs/'.length) : [],
    );
    return names.flatMap((name) => digestOf(name) ?? []);
  }

  /** The set of pieces that a partial grows. */
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

  async deletePieces({ set, pieces }: Pick<Manifest, 'set' | 'pieces'>): Promise<void> {
    for (let index = 0; index < pieces; index++) await this.cache.delete(`${BASE}/pieces/${set}/${index}`);
  }

  /** All pieces of a set whose number nobody wrote down. */
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
