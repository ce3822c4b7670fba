import { type Digest, type Host, ModelCorrupt, type ModelFile } from '#core/host';
import { ApiError } from '#core/http';
import { flagSetting } from '#core/settings';
import type { InstalledModel, ModelConfig, ModelMetadata, ModelName } from '../../base/installed-model.ts';
import { type DetectedTemplate, detectTemplate } from '../../prompting/templates/detect-template.ts';
import { formatOf } from '../formats/file-roles.ts';
import { parameterSize } from '../formats/gguf/parameter-size.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';
import { capabilitiesOf } from '../installed/capabilities.ts';
import type { InstalledModels } from '../installed/installed-models.ts';
import { sortParameters } from '../manifest/layer-json.ts';
import {
  configType,
  fileLayer,
  type Layer,
  parseManifest,
  printManifest,
  sha256,
  totalSize,
} from '../manifest/manifest.ts';
import { printConfig, readConfig } from '../manifest/model-config.ts';
import type { ModelTexts } from '../manifest/model-texts.ts';
import { composeLayers, type StoredLayer, storeText } from '../manifest/text-layers.ts';
import { displayName } from '../names/model-name.ts';
import type { PullProgress } from '../progress.ts';

/** The model that another is made of. */
export interface BaseModel {
  model: InstalledModel;
  layers: Layer[];
}

export interface Installation {
  name: ModelName;
  origin: string;
  files: ModelFile[];
  /** What is set now; the rest comes from `base`. */
  texts: ModelTexts;
  /** Messages as they are to be written, where they hold more than is read. */
  rawMessages?: Record<string, unknown>[];
  base?: BaseModel;
  /** With which the model came, byte for byte, and its config: all layers are stored. Otherwise one is made. */
  manifest?: { text: string; config: string };
  /** In place of what the files tell. */
  config?: ModelConfig;
  /** Other formats of this name that are installed stay. */
  beside?: boolean;
  /** A line for each layer, as a create has them. */
  tellLayers?: boolean;
}

export interface Installer {
  host: Pick<Host, 'clock' | 'blobs' | 'setting'>;
  models: InstalledModels;
  metadata: MetadataCache;
}

/**
 * Makes an installed model of files that are stored: reads what they are, finds the TEMPLATE that a model without one
 * gets, writes its layers, and the record last of all. Throws ApiError 400 when the weights are no usable model file.
 */
export async function* install(
  installer: Installer,
  installation: Installation,
): AsyncGenerator<PullProgress> {
  const { host, models } = installer;
  const { base, texts } = installation;
  const files = inOrder([...(base?.model.files ?? []), ...installation.files]);
  const weights = files.find((file) => file.role === 'weights');
  if (!weights) throw new ApiError(400, `${installation.origin} holds no model weights`);
  const format = formatOf(files);
  const described = await described400(installer.metadata.ofModel(files, format));
  // A manifest says all there is to say: a model that came with one has no template to be guessed.
  const detected = installation.manifest || base ? undefined : detect(described);
  const template = texts.template ?? detected?.template;
  const parameters = {
    ...base?.model.parameters,
    ...base?.model.otherParameters,
    ...detected?.parameters,
    ...texts.parameters,
    ...texts.otherParameters,
  };
  const releases: (() => void)[] = [];
  const release = () => {
    for (const each of releases) each();
  };
  const hold = (digest: Digest) => void releases.push(models.hold(digest));
  const written: Digest[] = [];
  try {
    for (const file of files) hold(file.digest);
    let manifest = installation.manifest;
    if (!manifest) {
      const layers = await composeLayers(
        host.blobs,
        [...(base ? takenOver(base) : []), ...installation.files.map(fileLayer)],
        {
          ...texts,
          ...(template === undefined ? {} : { template }),
          parameters,
          messages: installation.rawMessages ?? texts.messages?.map((message) => ({ ...message })),
        },
        hold,
      );
      const config = printConfig(format, {
        ...(await configOfFiles(files, described, installer.metadata)),
        ...inherited(base?.model.config),
        ...installation.config,
      });
      const configLayer = await storeText(host.blobs, configType, config, hold);
      written.push(...[...layers, configLayer].filter(({ isNew }) => isNew).map(({ digest }) => digest));
      const named = texts.template === undefined ? detected?.name : undefined;
      yield* told(layers, named, installation.tellLayers ?? false);
      manifest = { text: printManifest(configLayer, layers), config };
    }
    yield { status: 'writing manifest' };
    const unused = await models.put(
      await recordOf(installer, installation, { files, described, template, parameters, manifest }),
      installation.beside,
    );
    if (unused.length > 0 && !flagSetting(host, 'OLLAMA_NOPRUNE')) {
      yield { status: 'removing unused layers' };
      await models.drop(unused);
    }
  } catch (error) {
    release();
    for (const digest of written) await models.dropUnlessUsed(digest);
    throw error;
  } finally {
    release();
  }
  yield { status: 'success' };
}

async function recordOf(
  { host, models }: Installer,
  { name, origin, texts, base }: Installation,
  found: {
    files: ModelFile[];
    described: ModelMetadata;
    template: string | undefined;
    parameters: Record<string, unknown>;
    manifest: { text: string; config: string };
  },
): Promise<InstalledModel> {
  const { files, described, manifest } = found;
  const template = found.template ?? base?.model.template;
  const system = texts.system || base?.model.system;
  const config = readConfig(manifest.config);
  const parsed = parseManifest(manifest.text)!;
  const parentModel = parsed.layers.find((layer) => layer.from !== undefined)?.from;
  const hasProjector = files.some((file) => file.role === 'projector');
  const shown = capabilitiesOf(described, template, hasProjector, config.renderer);
  return {
    name: (await models.find(name))?.name ?? name,
    digest: (await sha256(manifest.text)).slice('sha256:'.length),
    manifest: manifest.text,
    size: totalSize(parsed),
    modifiedAt: host.clock.now(),
    origin,
    format: formatOf(files),
    files,
    ...(template === undefined ? {} : { template }),
    ...(system ? { system } : {}),
    licences: [...(base?.model.licences ?? []), ...texts.licences],
    ...sortParameters(found.parameters),
    messages: texts.messages?.length ? texts.messages : (base?.model.messages ?? []),
    capabilities: [...new Set([...shown, ...(config.capabilities ?? [])])] as InstalledModel['capabilities'],
    config,
    ...(parentModel === undefined ? {} : { parentModel }),
  };
}

/** Of the base's config what does not come from its files. */
function inherited({ renderer, parser, requires, capabilities }: ModelConfig = {}): ModelConfig {
  return { renderer, parser, requires, capabilities };
}

/** What files tell for a config: the family of each, and how large the weights are. */
async function configOfFiles(
  files: ModelFile[],
  weights: ModelMetadata,
  metadata: MetadataCache,
): Promise<ModelConfig> {
  const families: string[] = [];
  for (const file of files) {
    if (file.role === 'weights') families.push(weights.architecture);
    if (file.role !== 'projector' && file.role !== 'adapter') continue;
    families.push((await described400(metadata.get(file.digest))).architecture);
  }
  return {
    family: weights.architecture,
    families,
    parameterSize: parameterSize(weights.parameterCount),
    quantization: weights.quantization,
  };
}

/** A file that cannot be read is the request's fault. */
async function described400(reading: Promise<ModelMetadata>): Promise<ModelMetadata> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof ModelCorrupt)) throw error;
    throw new ApiError(400, error.message, { cause: error });
  }
}

function detect(described: ModelMetadata): DetectedTemplate | undefined {
  if (described.chatTemplate === undefined) return undefined;
  // A token that nobody adds is part of what the template writes.
  const tokens = { bos: described.addBos ? described.bosToken : undefined, eos: described.eosToken };
  return detectTemplate(described.chatTemplate, tokens);
}

/** The weights first, as everybody expects them. */
function inOrder(files: ModelFile[]): ModelFile[] {
  return files.toSorted((a, b) => Number(b.role === 'weights') - Number(a.role === 'weights'));
}

function takenOver({ model, layers }: BaseModel): Layer[] {
  const from = displayName(model.name);
  return layers.map((layer) => ({ ...layer, from }));
}

function* told(layers: StoredLayer[], detected: string | undefined, all: boolean): Generator<PullProgress> {
  for (const { mediaType, digest, isNew } of layers) {
    const isDetected = detected !== undefined && mediaType.endsWith('.template');
    if (isDetected) yield { status: `using autodetected template ${detected}` };
    else if (all) yield { status: `${isNew ? 'creating new' : 'using existing'} layer ${digest}` };
  }
}
