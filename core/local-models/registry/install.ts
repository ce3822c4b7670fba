import type { Host } from '../../host/host.ts';
import { ModelCorrupt, type ModelFile } from '../../host/language-engine.ts';
import { ApiError } from '../../http/api-error.ts';
import { detectTemplate } from '../prompting/detect-template.ts';
import type { Message, ModelOptions } from '../types.ts';
import { capabilitiesOf } from './capabilities.ts';
import { parameterSize } from './gguf/parameter-size.ts';
import type { InstalledModels } from './installed-models.ts';
import { manifestOf } from './manifest.ts';
import type { MetadataCache } from './metadata-cache.ts';
import type { ModelMetadata, ModelName, PullProgress } from './types.ts';

/** What a source says of a model besides its files. */
export interface ModelTexts {
  template?: string;
  system?: string;
  parameters?: ModelOptions;
  messages?: Message[];
  licences: string[];
}

export interface Installation {
  name: ModelName;
  origin: string;
  files: ModelFile[];
  texts: ModelTexts;
  /** Of the manifest that the model came with. */
  manifest?: { digest: string; size: number };
}

export interface Installer {
  host: Pick<Host, 'clock'>;
  models: InstalledModels;
  metadata: MetadataCache;
}

/**
 * Makes an installed model of files that are stored: reads what they are, finds the TEMPLATE that a model without one
 * gets, and writes the record, last of all. Throws ApiError 400 when the weights are no usable model file.
 */
export async function* install(
  { host, models, metadata }: Installer,
  { name, origin, files, texts, manifest }: Installation,
): AsyncGenerator<PullProgress> {
  const weights = files.find((file) => file.role === 'weights');
  if (!weights) throw new ApiError(400, `${origin} holds no model weights`);
  const described = await metadataFor(weights, metadata);
  let { template } = texts;
  let parameters = texts.parameters ?? {};
  // A manifest says all there is to say: a model that came with one has no template to be guessed.
  if (template === undefined && manifest === undefined && described.chatTemplate !== undefined) {
    // A token that nobody adds is part of what the template writes.
    const tokens = { bos: described.addBos ? described.bosToken : undefined, eos: described.eosToken };
    const detected = detectTemplate(described.chatTemplate, tokens);
    if (detected) {
      template = detected.template;
      parameters = { ...detected.parameters, ...parameters };
      yield { status: `using autodetected template ${detected.name}` };
    }
  }
  const known = {
    format: 'gguf' as const,
    files,
    ...(template === undefined ? {} : { template }),
    ...(texts.system === undefined ? {} : { system: texts.system }),
    licences: texts.licences,
    parameters,
    messages: texts.messages ?? [],
  };
  const details = {
    family: described.architecture,
    parameterSize: parameterSize(described.parameterCount),
    quantization: described.quantization,
  };
  const { digest, size } = manifest ?? (await manifestOf(known, details));
  yield { status: 'writing manifest' };
  const hasProjector = files.some((file) => file.role === 'projector');
  const unused = await models.put({
    name,
    digest,
    size,
    modifiedAt: host.clock.now(),
    origin,
    capabilities: capabilitiesOf(described, template, hasProjector),
    ...known,
  });
  if (unused.length > 0) {
    yield { status: 'removing unused layers' };
    await models.drop(unused);
  }
  yield { status: 'success' };
}

async function metadataFor(weights: ModelFile, metadata: MetadataCache): Promise<ModelMetadata> {
  try {
    return await metadata.get(weights.digest);
  } catch (error) {
    if (!(error instanceof ModelCorrupt)) throw error;
    throw new ApiError(400, error.message, { cause: error });
  }
}
