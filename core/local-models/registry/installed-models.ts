import type { Digest } from '../../host/blobs.ts';
import type { Host } from '../../host/host.ts';
import { canonicalName } from './names.ts';
import type { InstalledModel, ModelName } from './types.ts';

/** The models that are whole, one record each; and the blobs that they share. */
export class InstalledModels {
  readonly #host: Pick<Host, 'records' | 'blobs'>;
  /** Blobs of models that are being installed: no record names them yet, and they must not go. */
  readonly #held = new Map<Digest, number>();

  constructor(host: Pick<Host, 'records' | 'blobs'>) {
    this.#host = host;
  }

  get #models() {
    return this.#host.records.collection<InstalledModel>('models');
  }

  find(name: ModelName): Promise<InstalledModel | undefined> {
    return this.#models.get(canonicalName(name));
  }

  /** Newest first by whole seconds; models of one second in the order of their names. */
  async list(): Promise<InstalledModel[]> {
    const found = (await this.#models.list()).map(({ doc }) => doc);
    const second = (model: InstalledModel) => Math.floor(model.modifiedAt / 1000);
    return found.sort((a, b) => second(b) - second(a));
  }

  /** Returns the blobs that the model of this name had and no model has now. */
  async put(model: InstalledModel): Promise<Digest[]> {
    const before = await this.find(model.name);
    await this.#models.put(canonicalName(model.name), model);
    return before ? await this.#unused(before) : [];
  }

  async delete(name: ModelName): Promise<boolean> {
    const model = await this.find(name);
    if (!model) return false;
    await this.#models.delete(canonicalName(name));
    await this.drop(await this.#unused(model));
    return true;
  }

  async drop(digests: Digest[]): Promise<void> {
    for (const digest of digests) await this.#host.blobs.delete(digest);
  }

  /** Drops a blob that arrived and turned out useless, unless a model has it. */
  async dropUnlessUsed(digest: Digest): Promise<void> {
    if (!(await this.#used()).has(digest)) await this.#host.blobs.delete(digest);
  }

  /** Keeps a blob from being dropped until the returned function is called. */
  hold(digest: Digest): () => void {
    this.#held.set(digest, (this.#held.get(digest) ?? 0) + 1);
    let holds = true;
    return () => {
      if (!holds) return;
      holds = false;
      const left = (this.#held.get(digest) ?? 1) - 1;
      if (left === 0) this.#held.delete(digest);
      else this.#held.set(digest, left);
    };
  }

  async #unused(model: InstalledModel): Promise<Digest[]> {
    const used = await this.#used();
    const digests = new Set(model.files.map((file) => file.digest));
    return [...digests].filter((digest) => !used.has(digest));
  }

  async #used(): Promise<Set<Digest>> {
    const models = await this.#models.list();
    const named = models.flatMap(({ doc }) => doc.files.map((file) => file.digest));
    return new Set([...named, ...this.#held.keys()]);
  }
}
