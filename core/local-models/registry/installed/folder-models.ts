import type { Host, ModelFolder, ModelFolderEntry } from '#core/host';
import type { InstalledModel, ModelName } from '../../base/installed-model.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';
import { fileOf, layerKind, parseManifest, sha256, totalSize } from '../manifest/manifest.ts';
import { readConfig } from '../manifest/model-config.ts';
import { isText, type ModelTexts, takeText } from '../manifest/model-texts.ts';
import { readText } from '../manifest/text-layers.ts';
import { canonicalName, isValid } from '../names/model-name.ts';
import { capabilitiesOf } from './capabilities.ts';

/** The models of a folder that another program keeps. Nothing is ever written there. */
export class ForeignModels {
  /** By place and version of the manifest; undefined for one that cannot be used. */
  readonly #known = new Map<string, Promise<InstalledModel | undefined>>();

  #warned = false;

  constructor(
    private readonly host: Pick<Host, 'blobs' | 'log'>,
    private readonly folder: ModelFolder,
    private readonly metadata: MetadataCache,
  ) {}

  async list(): Promise<InstalledModel[]> {
    const entries = await this.#entries();
    this.#forget(entries);
    const models = await Promise.all(entries.map((entry) => this.#model(entry)));
    return models.filter((model) => model !== undefined);
  }

  async find(name: ModelName): Promise<InstalledModel | undefined> {
    const wanted = canonicalName(name);
    const entry = (await this.#entries()).find((each) => canonicalName(each.name) === wanted);
    return entry && (await this.#model(entry));
  }

  async #entries(): Promise<ModelFolderEntry[]> {
    try {
      return (await this.folder.list()).filter(({ name }) => isValid(name));
    } catch (error) {
      if (!this.#warned) {
        this.host.log.warn(`the models of ${this.folder.path} cannot be listed`, { error: String(error) });
      }
      this.#warned = true;
      return [];
    }
  }

  #model(entry: ModelFolderEntry): Promise<InstalledModel | undefined> {
    const key = keyOf(entry);
    let known = this.#known.get(key);
    if (!known) {
      known = this.#read(entry).catch((error: unknown) => {
        this.host.log.warn(`${canonicalName(entry.name)} in ${this.folder.path} cannot be used`, {
          error: String(error),
        });
        return undefined;
      });
      this.#known.set(key, known);
    }
    return known;
  }

  async #read(entry: ModelFolderEntry): Promise<InstalledModel> {
    const text = await entry.read();
    const manifest = parseManifest(text);
    if (!manifest) throw new Error('its manifest is damaged');
    const texts: ModelTexts = { licences: [] };
    for (const layer of manifest.layers.filter(isText)) {
      takeText(texts, layer, await readText(this.host.blobs, layer));
    }
    const files = manifest.layers.flatMap((layer) => fileOf(layer) ?? []);
    const weights = files.find((file) => file.role === 'weights');
    if (!weights) throw new Error('it has no weights that can be run here');
    for (const { digest } of files) {
      if (!(await this.host.blobs.stat(digest))) throw new Error(`its blob ${digest} is missing`);
    }
    const config = readConfig(await readText(this.host.blobs, manifest.config));
    const described = await this.metadata.get(weights.digest);
    const hasProjector = manifest.layers.some((layer) => layerKind(layer) === 'projector');
    const shown = capabilitiesOf(described, texts.template, hasProjector, config.renderer);
    const parentModel = manifest.layers.find((layer) => layer.from !== undefined)?.from;
    const { parameters = {}, messages = [], ...others } = texts;
    return {
      name: entry.name,
      digest: (await sha256(text)).slice('sha256:'.length),
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
      capabilities: [
        ...new Set([...shown, ...(config.capabilities ?? [])]),
      ] as InstalledModel['capabilities'],
      config,
      ...(parentModel === undefined ? {} : { parentModel }),
    };
  }

  /** Manifests that are gone or changed. */
  #forget(entries: ModelFolderEntry[]): void {
    const present = new Set(entries.map(keyOf));
    for (const key of this.#known.keys()) if (!present.has(key)) this.#known.delete(key);
  }
}

const keyOf = (entry: ModelFolderEntry) => `${canonicalName(entry.name)} ${entry.version}`;
