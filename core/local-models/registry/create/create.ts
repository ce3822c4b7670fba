import type { ModelFile } from '#core/host';
import { ApiError } from '#core/http';
import type { ModelConfig } from '../../base/installed-model.ts';
import { TemplateError } from '../../prompting/templates/go-template/index.ts';
import { ModelTemplate } from '../../prompting/templates/model-template.ts';
import { ensureManifest } from '../install/ensure-manifest.ts';
import { install } from '../install/install.ts';
import type { BaseModel, InstallContext } from '../install/installation.ts';
import { readFiles, weightsOf } from '../install/read-files.ts';
import { parseMessages, splitParameters } from '../manifest/layer-json.ts';
import type { CreateRequest } from '../model-registry.ts';
import { displayName, parseName, tryParseName } from '../names/model-name.ts';
import { splitSource } from '../names/source-suffix.ts';
import type { PullProgress } from '../progress.ts';
import { checkQuantize } from './check-quantize.ts';

export interface CreateContext extends InstallContext {
  /** Pulls the base model. */
  pull(model: string, signal: AbortSignal): AsyncIterable<PullProgress>;
}

/**
 * Derives a model from another one, or creates it of uploaded files. Checks the request before anything is written.
 * @throws ApiError with Ollama's status and text
 */
export async function* runCreate(
  context: CreateContext,
  request: CreateRequest,
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const name = parseName(splitSource(request.model).name);
  let base: BaseModel | undefined;
  const files: ModelFile[] = [];
  if (request.from) base = yield* findBase(context, request.from, signal);
  else if (request.files) files.push(...(yield* readFiles(context, request.files)));
  else throw new ApiError(400, "neither 'from' or 'files' was specified");
  if (request.adapters) files.push(...(yield* readAdapters(context, request.adapters)));
  await checkFiles(context, [...(base?.model.files ?? []), ...files], request.quantize);
  checkTemplate(request.template);
  signal.throwIfAborted();
  const from = base && displayName(base.model.name);
  yield* install(context, {
    name,
    origin: from ?? request.files?.map(([path]) => path).join(', ') ?? '',
    files,
    texts: {
      ...(request.template ? { template: request.template } : {}),
      ...(request.system ? { system: request.system } : {}),
      licences: request.licences.filter((licence) => licence !== ''),
      ...splitParameters(request.parameters),
      ...(request.messages.length > 0 ? { messages: parseMessages(JSON.stringify(request.messages)) } : {}),
    },
    ...(request.messages.length > 0 ? { rawMessages: request.messages } : {}),
    ...(base ? { base } : {}),
    config: configOf(request),
    reportsLayers: true,
  });
}

async function checkFiles(
  { metadata }: CreateContext,
  files: ModelFile[],
  quantize: string | undefined,
): Promise<void> {
  const weights = weightsOf(files);
  if (quantize && weights) {
    checkQuantize(quantize, (await metadata.ofFile(weights.digest)).quantization);
  }
}

/** The base model with its layers. Pulls it unless it is installed. */
async function* findBase(
  context: CreateContext,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<PullProgress, BaseModel> {
  const { name: reference, source } = splitSource(from);
  const name = tryParseName(reference);
  if (!name) throw new ApiError(400, 'invalid model name');
  if (source === 'cloud') throw new ApiError(403, 'ollama cloud is disabled: remote model is unavailable');
  let model = await context.models.find(name);
  if (!model) {
    // The `success` of the pull is not the success of the create.
    for await (const line of context.pull(reference, signal)) if (line.status !== 'success') yield line;
    model = await context.models.find(name);
  }
  if (!model) throw new ApiError(404, `model '${displayName(name)}' not found`);
  const base = await ensureManifest(context, model);
  return { model: base.model, layers: base.manifest.layers };
}

async function* readAdapters(
  context: CreateContext,
  adapters: NonNullable<CreateRequest['adapters']>,
): AsyncGenerator<PullProgress, ModelFile[]> {
  if (adapters.length > 1) throw new ApiError(400, 'only one adapter is currently supported');
  const files = yield* readFiles(context, adapters);
  if (files.some((file) => file.role !== 'adapter')) {
    throw new ApiError(400, `${adapters[0]![0]} is no adapter: its general.type must say so`);
  }
  return files;
}

function checkTemplate(template: string | undefined): void {
  try {
    if (template) new ModelTemplate(template);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new ApiError(400, `template error: ${error.message}`, { cause: error });
  }
}

function configOf({ renderer, parser, requires, info }: CreateRequest): ModelConfig {
  const text = (key: string) => (typeof info[key] === 'string' && info[key] !== '' ? info[key] : undefined);
  const family = text('model_family');
  const { capabilities } = info;
  const config: ModelConfig = {
    renderer: renderer || undefined,
    parser: parser || undefined,
    requires: requires || undefined,
    family,
    families: family === undefined ? undefined : [family],
    parameterSize: text('parameter_size'),
    quantization: text('quantization_level'),
    capabilities: Array.isArray(capabilities)
      ? capabilities.filter((capability): capability is string => typeof capability === 'string')
      : undefined,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
