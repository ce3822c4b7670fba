import type { Digest, Host } from '#core/host';
import { ApiError } from '#core/http';
import type { InstalledModel, ModelName } from '../../base/installed-model.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { canonicalName, displayName } from '../names/model-name.ts';
import { allVariants, withBestVariant, withOtherVariants } from '../variants/installed-variants.ts';
import { type VariantDevice, variantDevice } from '../variants/rate-variant.ts';
import type { FolderModels } from './folder-models.ts';

type ModelsHost = Pick<Host, 'records' | 'blobs' | 'languageEngines' | 'machine' | 'capabilities'>;

/**
 * The records of installed models, and the blobs that the models share. Also finds the models of a read-only folder,
 * unless an installed model has their name.
 */
export class InstalledModels {
  readonly #host: ModelsHost;
  readonly #folder: FolderModels | undefined;
  /** The number of holds of each blob: of models that are being installed, before a record names their blobs. */
  readonly #held = new Map<Digest, number>();

  constructor(host: ModelsHost, folder?: FolderModels) {
    this.#host = host;
    this.#folder = folder;
  }

  get #models() {
    return this.#host.records.collection<InstalledModel>('models');
  }

  async find(name: ModelName): Promise<InstalledModel | undefined> {
    const own = await this.#models.get(canonicalName(name));
    return own ? await this.#best(own) : await this.#folder?.find(name);
  }

  /** Newest first by seconds; models of the same second by name. */
  async list(): Promise<InstalledModel[]> {
    const own = await this.#models.list();
    const ownKeys = new Set(own.map(({ key }) => key));
    const others = ((await this.#folder?.list()) ?? [])
      .map((doc) => ({ key: canonicalName(doc.name), doc }))
      .filter(({ key }) => !ownKeys.has(key));
    const sorted = [...own, ...others].sort((a, b) => (a.key < b.key ? -1 : 1));
    const models = await Promise.all(sorted.map(({ doc }) => this.#best(doc)));
    const second = (model: InstalledModel) => Math.floor(model.modifiedAt / 1000);
    return models.sort((a, b) => second(b) - second(a));
  }

  /**
   * Stores the record of a model. Replaces the record with the same name.
   * @param keepsOtherVariants whether variants of the former record in other formats remain
   * @returns the blobs of the former record that no model has any more
   */
  async put(newModel: InstalledModel, keepsOtherVariants = false): Promise<Digest[]> {
    const key = canonicalName(newModel.name);
    const former = await this.#models.get(key);
    const model = keepsOtherVariants ? withOtherVariants(newModel, former) : newModel;
    if (this.#folder) for (const digest of blobsOf(model)) await this.#host.blobs.adopt?.(digest);
    await this.#models.put(key, model);
    return former ? await this.#unused(former) : [];
  }

  /**
   * Deletes a model with the blobs that no other model has.
   * @returns false when there is no such model
   * @throws ApiError 403 for a model of the read-only folder
   */
  async delete(name: ModelName): Promise<boolean> {
    const key = canonicalName(name);
    const model = await this.#models.get(key);
    if (!model) {
      const readOnly = await this.#folder?.find(name);
      if (readOnly) throw readOnlyError(readOnly);
      return false;
    }
    await this.#models.delete(key);
    await this.deleteBlobs(await this.#unused(model));
    return true;
  }

  async deleteBlobs(digests: Digest[]): Promise<void> {
    for (const digest of digests) await this.#host.blobs.delete(digest);
  }

  /** Deletes a blob unless a model has it, or it is held. Returns whether it was deleted. */
  async deleteUnlessUsed(digest: Digest): Promise<boolean> {
    if ((await this.#used()).has(digest)) return false;
    return await this.#host.blobs.delete(digest);
  }

  /** Keeps a blob from being deleted until the returned function is called. */
  holdBlob(digest: Digest): () => void {
    this.#held.set(digest, (this.#held.get(digest) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#held.get(digest) ?? 1) - 1;
      if (left === 0) this.#held.delete(digest);
      else this.#held.set(digest, left);
    };
  }

  async #best(model: InstalledModel): Promise<InstalledModel> {
    return model.variants ? withBestVariant(model, await this.device()) : model;
  }

  /** The properties of this device that decide between variants. */
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

/** The blobs of all variants: files, texts and configs. */
function blobsOf(model: InstalledModel): Digest[] {
  return allVariants(model).flatMap(({ files, manifest }) => {
    const parsed = manifest === undefined ? undefined : parseManifest(manifest);
    const layers = parsed ? [...parsed.layers, parsed.config] : [];
    return [...files, ...layers].map(({ digest }) => digest);
  });
}

function readOnlyError(model: InstalledModel): ApiError {
  const name = displayName(model.name);
  return new ApiError(
    403,
    `model '${name}' is in ${model.readOnlyIn}, which is only read here: delete it with the program that keeps it, or start tabd without OLLAMA_MODELS`,
  );
}
