import type { Host, ModelFolder, ModelFolderEntry } from '#core/host';
import type { InstalledModel, ModelName } from '../../base/installed-model.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';
import { hexDigits, sha256 } from '../manifest/digests.ts';
import { layerToFile, type Manifest, parseManifest, totalSize } from '../manifest/manifest.ts';
import { parseConfig } from '../manifest/model-config.ts';
import { addText, isTextLayer, type ModelTexts } from '../manifest/model-texts.ts';
import { readTextLayer } from '../manifest/text-layers.ts';
import { canonicalName, isValid } from '../names/model-name.ts';
import { modelCapabilities, projectorSenses } from './capabilities.ts';

/** The models in the folder of another program, such as Ollama's. The folder is never written to. */
export class FolderModels {
  /** Models by name and version of the manifest. Undefined: the model cannot be used. */
  readonly #models = new Map<string, Promise<InstalledModel | undefined>>();
  /** Whether the failure to list the folder was logged. */
  #hasWarned = false;

  constructor(
    private readonly host: Pick<Host, 'blobs' | 'log'>,
    private readonly folder: ModelFolder,
    private readonly metadata: MetadataCache,
  ) {}

  /** All models that can be used. */
  async list(): Promise<InstalledModel[]> {
    const entries = await this.#entries();
    this.#forgetOthers(entries);
    const models = await Promise.all(entries.map((entry) => this.#model(entry)));
    return models.filter((model) => model !== undefined);
  }

  async find(name: ModelName): Promise<InstalledModel | undefined> {
    const key = canonicalName(name);
    const entry = (await this.#entries()).find((candidate) => canonicalName(candidate.name) === key);
    return entry && (await this.#model(entry));
  }

  async #entries(): Promise<ModelFolderEntry[]> {
    try {
      return (await this.folder.list()).filter(({ name }) => isValid(name));
    } catch (error) {
      if (!this.#hasWarned) {
        this.host.log.warn(`the models of ${this.folder.path} cannot be listed`, { error: String(error) });
      }
      this.#hasWarned = true;
      return [];
    }
  }

  #model(entry: ModelFolderEntry): Promise<InstalledModel | undefined> {
    const key = keyOf(entry);
    let model = this.#models.get(key);
    if (!model) {
      model = this.#read(entry).catch((error: unknown) => {
        this.host.log.warn(`${canonicalName(entry.name)} in ${this.folder.path} cannot be used`, {
          error: String(error),
        });
        return undefined;
      });
      this.#models.set(key, model);
    }
    return model;
  }

  async #read(entry: ModelFolderEntry): Promise<InstalledModel> {
    const text = await entry.read();
    const manifest = parseManifest(text);
    if (!manifest) throw new Error('its manifest is damaged');
    const texts = await this.#texts(manifest);
    const files = manifest.layers.flatMap((layer) => layerToFile(layer) ?? []);
    const weights = files.find((file) => file.role === 'weights');
    if (!weights) throw new Error('it has no weights that can be run here');
    for (const { digest } of files) {
      if (!(await this.host.blobs.stat(digest))) throw new Error(`its blob ${digest} is missing`);
    }
    const config = parseConfig(await readTextLayer(this.host.blobs, manifest.config));
    const metadata = await this.metadata.ofFile(weights.digest);
    const projectors = await projectorSenses(files, this.metadata);
    const parentModel = manifest.layers.find((layer) => layer.from !== undefined)?.from;
    const { parameters = {}, messages = [], ...others } = texts;
    return {
      name: entry.name,
      digest: hexDigits(await sha256(text)),
      manifest: text,
      size: totalSize(manifest),
      modifiedAt: entry.modifiedAt,
      format: 'gguf',
      files,
      ...others,
      parameters,
      messages,
      origin: this.folder.path,
      readOnlyIn: this.folder.path,
      capabilities: modelCapabilities(metadata, texts.template, projectors, config),
      config,
      ...(parentModel === undefined ? {} : { parentModel }),
    };
  }

  async #texts(manifest: Manifest): Promise<ModelTexts> {
    const texts: ModelTexts = { licences: [] };
    for (const layer of manifest.layers.filter(isTextLayer)) {
      addText(texts, layer, await readTextLayer(this.host.blobs, layer));
    }
    return texts;
  }

  /** Drops models whose manifests are gone or changed. */
  #forgetOthers(entries: ModelFolderEntry[]): void {
    const present = new Set(entries.map(keyOf));
    for (const key of this.#models.keys()) if (!present.has(key)) this.#models.delete(key);
  }
}

const keyOf = (entry: ModelFolderEntry) => `${canonicalName(entry.name)} ${entry.version}`;
