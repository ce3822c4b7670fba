import type { Digest, ModelFile, ModelFormat } from '#core/host';
import { ApiError } from '#core/http';
import { flagSetting } from '#core/settings';
import type { InstalledModel, ModelConfig, ModelMetadata } from '../../base/installed-model.ts';
import { type DetectedTemplate, detectTemplate } from '../../prompting/templates/detect-template.ts';
import { modelFormatOf } from '../formats/file-roles.ts';
import { formatParameterCount } from '../formats/gguf/format-parameter-count.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';
import { orBadRequest } from '../formats/or-bad-request.ts';
import { BlobHolds } from '../installed/blob-holds.ts';
import { modelCapabilities, projectorSenses } from '../installed/capabilities.ts';
import { hexDigits, sha256 } from '../manifest/digests.ts';
import { splitParameters } from '../manifest/layer-json.ts';
import {
  CONFIG_MEDIA_TYPE,
  fileToLayer,
  type Layer,
  parseManifest,
  printManifest,
  totalSize,
} from '../manifest/manifest.ts';
import { parseConfig, printConfig } from '../manifest/model-config.ts';
import { composeLayers, type StoredLayer, storeText } from '../manifest/text-layers.ts';
import { displayName } from '../names/model-name.ts';
import type { PullProgress } from '../progress.ts';
import type { BaseModel, Installation, InstallContext } from './installation.ts';

/** Properties of the new model that its files and its base determine. */
interface ModelFacts {
  files: ModelFile[];
  format: ModelFormat;
  metadata: ModelMetadata;
  detected: DetectedTemplate | undefined;
  template: string | undefined;
  /** All parameters, those of the base and of the detected template included. */
  parameters: Record<string, unknown>;
}

/**
 * Installs a model whose files are stored: detects the TEMPLATE of a model without one, and writes its layers. The
 * record comes last, so that a model is seen only when it is complete.
 * @throws ApiError 400 when the weights are no usable model file
 */
export async function* install(
  context: InstallContext,
  installation: Installation,
): AsyncGenerator<PullProgress> {
  const { host, models } = context;
  const facts = await factsOf(context, installation);
  const holds = new BlobHolds(models);
  const newBlobs: Digest[] = [];
  try {
    for (const file of facts.files) holds.hold(file.digest);
    const manifest =
      installation.manifest ?? (yield* writeManifest(context, installation, facts, holds, newBlobs));
    yield { status: 'writing manifest' };
    const unused = await models.put(
      await recordOf(context, installation, facts, manifest),
      installation.keepsOtherVariants,
    );
    if (unused.length > 0 && !flagSetting(host, 'OLLAMA_NOPRUNE')) {
      yield { status: 'removing unused layers' };
      await models.deleteBlobs(unused);
    }
  } catch (error) {
    holds.release();
    for (const digest of newBlobs) await models.deleteUnlessUsed(digest);
    throw error;
  } finally {
    holds.release();
  }
  yield { status: 'success' };
}

async function factsOf(context: InstallContext, installation: Installation): Promise<ModelFacts> {
  const { base, texts } = installation;
  const files = weightsFirst([...(base?.model.files ?? []), ...installation.files]);
  if (files[0]?.role !== 'weights') throw new ApiError(400, `${installation.origin} holds no model weights`);
  const format = modelFormatOf(files);
  const metadata = await orBadRequest(context.metadata.ofModel(files, format));
  // A model with a manifest or a base has its final template, if any.
  const detected = installation.manifest || base ? undefined : detect(metadata);
  return {
    files,
    format,
    metadata,
    detected,
    template: texts.template ?? detected?.template,
    parameters: {
      ...base?.model.parameters,
      ...base?.model.otherParameters,
      ...detected?.parameters,
      ...texts.parameters,
      ...texts.otherParameters,
    },
  };
}

/** Stores the texts as layers and composes the manifest. Adds the digests of new blobs to `newBlobs`. */
async function* writeManifest(
  context: InstallContext,
  { texts, base, files, rawMessages, config, reportsLayers }: Installation,
  facts: ModelFacts,
  { hold }: BlobHolds,
  newBlobs: Digest[],
): AsyncGenerator<PullProgress, { text: string; config: string }> {
  const { blobs } = context.host;
  const { template, parameters, detected } = facts;
  const layers = await composeLayers(
    blobs,
    [...(base ? inheritedLayers(base) : []), ...files.map(fileToLayer)],
    {
      ...texts,
      ...(template === undefined ? {} : { template }),
      parameters,
      messages: rawMessages ?? texts.messages?.map((message) => ({ ...message })),
    },
    hold,
  );
  const configText = printConfig(facts.format, {
    ...(await configOfFiles(facts.files, facts.metadata, context.metadata)),
    ...inheritedConfig(base?.model.config),
    ...config,
  });
  const configLayer = await storeText(blobs, CONFIG_MEDIA_TYPE, configText, hold);
  newBlobs.push(...[...layers, configLayer].filter(({ isNew }) => isNew).map(({ digest }) => digest));
  const detectedName = texts.template === undefined ? detected?.name : undefined;
  yield* layerProgress(layers, detectedName, reportsLayers ?? false);
  return { text: printManifest(configLayer, layers), config: configText };
}

async function recordOf(
  { host, models, metadata: cache }: InstallContext,
  { name, origin, texts, base }: Installation,
  { files, format, metadata, parameters, ...facts }: ModelFacts,
  manifest: { text: string; config: string },
): Promise<InstalledModel> {
  const template = facts.template ?? base?.model.template;
  const system = texts.system || base?.model.system;
  const config = parseConfig(manifest.config);
  const parsed = parseManifest(manifest.text)!;
  const parentModel = parsed.layers.find((layer) => layer.from !== undefined)?.from;
  return {
    name: (await models.find(name))?.name ?? name,
    digest: hexDigits(await sha256(manifest.text)),
    manifest: manifest.text,
    size: totalSize(parsed),
    modifiedAt: host.clock.now(),
    origin,
    format,
    files,
    ...(template === undefined ? {} : { template }),
    ...(system ? { system } : {}),
    licences: [...(base?.model.licences ?? []), ...texts.licences],
    ...splitParameters(parameters),
    messages: texts.messages?.length ? texts.messages : (base?.model.messages ?? []),
    capabilities: modelCapabilities(metadata, template, await projectorSenses(files, cache), config),
    config,
    ...(parentModel === undefined ? {} : { parentModel }),
  };
}

/** The part of the base's config that does not depend on its files. */
function inheritedConfig({ renderer, parser, requires, capabilities }: ModelConfig = {}): ModelConfig {
  return { renderer, parser, requires, capabilities };
}

/** The config that follows from the files: the family of each, and the size of the weights. */
async function configOfFiles(
  files: ModelFile[],
  weights: ModelMetadata,
  metadata: MetadataCache,
): Promise<ModelConfig> {
  const families: string[] = [];
  for (const file of files) {
    if (file.role === 'weights') families.push(weights.architecture);
    if (file.role !== 'projector' && file.role !== 'adapter') continue;
    families.push((await orBadRequest(metadata.ofFile(file.digest))).architecture);
  }
  return {
    family: weights.architecture,
    families,
    parameterSize: formatParameterCount(weights.parameterCount),
    quantization: weights.quantization,
  };
}

function detect(metadata: ModelMetadata): DetectedTemplate | undefined {
  if (metadata.chatTemplate === undefined) return undefined;
  // When the tokenizer does not add BOS, the template writes it as part of its text.
  const tokens = { bos: metadata.addBos ? metadata.bosToken : undefined, eos: metadata.eosToken };
  return detectTemplate(metadata.chatTemplate, tokens);
}

function weightsFirst(files: ModelFile[]): ModelFile[] {
  return files.toSorted((a, b) => Number(b.role === 'weights') - Number(a.role === 'weights'));
}

function inheritedLayers({ model, layers }: BaseModel): Layer[] {
  const from = displayName(model.name);
  return layers.map((layer) => ({ ...layer, from }));
}

function* layerProgress(
  layers: StoredLayer[],
  detectedName: string | undefined,
  reportsAll: boolean,
): Generator<PullProgress> {
  for (const { mediaType, digest, isNew } of layers) {
    const isDetected = detectedName !== undefined && mediaType.endsWith('.template');
    if (isDetected) yield { status: `using autodetected template ${detectedName}` };
    else if (reportsAll) yield { status: `${isNew ? 'creating new' : 'using existing'} layer ${digest}` };
  }
}
