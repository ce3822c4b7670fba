import type { Digest, Host } from '#core/host';
import { ApiError } from '#core/http';
import type { InstalledModel, ModelName } from '../../base/installed-model.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { canonicalName, displayName } from '../names/model-name.ts';
import { type VariantDevice, variantDevice } from '../variants/choose-variant.ts';
import { allVariants, beside, bestOf } from '../variants/installed-variants.ts';
import type { ForeignModels } from './folder-models.ts';

type ModelsHost = Pick<Host, 'records' | 'blobs' | 'languageEngines' | 'machine' | 'capabilities'>;

/**
 * The models that are whole, one record each; and the blobs that they share. Models of a folder that is only read are
 * found beside them, unless a model here has their name.
 */
export class InstalledModels {
  readonly #host: ModelsHost;
  readonly #foreign: ForeignModels | undefined;
  /** Blobs of models that are being installed: no record names them yet, and they must not go. */
  readonly #held = new Map<Digest, number>();

  constructor(host: ModelsHost, foreign?: ForeignModels) {
    this.#host = host;
    this.#foreign = foreign;
  }

  get #models() {
    return this.#host.records.collection<InstalledModel>('models');
  }

  async find(name: ModelName): Promise<InstalledModel | undefined> {
    const own = await this.#models.get(canonicalName(name));
    return own ? await this.#best(own) : await this.#foreign?.find(name);
  }

  /** Newest first by whole seconds; models of one second in the order of their names. */
  async list(): Promise<InstalledModel[]> {
    const own = await this.#models.list();
    const taken = new Set(own.map(({ key }) => key));
    const others = ((await this.#foreign?.list()) ?? [])
      .map((doc) => ({ key: canonicalName(doc.name), doc }))
      .filter(({ key }) => !taken.has(key));
    const sorted = [...own, ...others].sort((a, b) => (a.key < b.key ? -1 : 1));
    const found = await Promise.all(sorted.map(({ doc }) => this.#best(doc)));
    const second = (model: InstalledModel) => Math.floor(model.modifiedAt / 1000);
    return found.sort((a, b) => second(b) - second(a));
  }

  /**
   * Returns the blobs that the model of this name had and no model has now. `keepOthers`: what is installed under the
   * name in other formats stays beside it.
   */
  async put(given: InstalledModel, keepOthers = false): Promise<Digest[]> {
    const key = canonicalName(given.name);
    const before = await this.#models.get(key);
    const model = keepOthers ? beside(given, before) : given;
    if (this.#foreign) for (const digest of blobsOf(model)) await this.#host.blobs.adopt?.(digest);
    await this.#models.put(key, model);
    return before ? await this.#unused(before) : [];
  }

  /** Throws ApiError 403 for a model that is only read. */
  async delete(name: ModelName): Promise<boolean> {
    const key = canonicalName(name);
    const model = await this.#models.get(key);
    if (!model) {
      const foreign = await this.#foreign?.find(name);
      if (foreign) throw readOnly(foreign);
      return false;
    }
    await this.#models.delete(key);
    await this.drop(await this.#unused(model));
    return true;
  }

  async drop(digests: Digest[]): Promise<void> {
    for (const digest of digests) await this.#host.blobs.delete(digest);
  }

  /** Drops a blob that arrived and turned out useless, unless a model has it. */
  async dropUnlessUsed(digest: Digest): Promise<boolean> {
    if ((await this.#used()).has(digest)) return false;
    return await this.#host.blobs.delete(digest);
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

  async #best(model: InstalledModel): Promise<InstalledModel> {
    return model.variants ? bestOf(model, await this.device()) : model;
  }

  /** What decides between the formats of a name. */
  async device(): Promise<VariantDevice> {
    return await variantDevice(this.#host);
  }

  async #unused(model: InstalledModel): Promise<Digest[]> {
    const used = await this.#used();
    return [...new Set(blobsOf(model))].filter((digest) => !used.has(digest));
  }

  async #used(): Promise<Set<Digest>> {
    const models = await this.#models.list();
    return new Set([...models.flatMap(({ doc }) => blobsOf(doc)), ...this.#held.keys()]);
  }
}

/** Files, and the texts and config that its manifest names. */
function blobsOf(model: InstalledModel): Digest[] {
  return allVariants(model).flatMap(({ files, manifest }) => {
    const parsed = manifest === undefined ? undefined : parseManifest(manifest);
    const layers = parsed ? [...parsed.layers, parsed.config] : [];
    return [...files, ...layers].map(({ digest }) => digest);
  });
}

function readOnly(model: InstalledModel): ApiError {
  const name = displayName(model.name);
  return new ApiError(
    403,
    `model '${name}' is in ${model.readOnlyIn}, which is only read here: delete it with the program that keeps it, or start tabd without OLLAMA_MODELS`,
  );
}
