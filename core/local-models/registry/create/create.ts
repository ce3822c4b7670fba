import type { ModelFile } from '#core/host';
import { ApiError } from '#core/http';
import type { ModelConfig } from '../../base/installed-model.ts';
import { TemplateError } from '../../prompting/templates/go-template/index.ts';
import { ModelTemplate } from '../../prompting/templates/model-template.ts';
import { withManifest } from '../install/ensure-manifest.ts';
import { type BaseModel, type Installer, install } from '../install/install.ts';
import { readMessages, sortParameters } from '../manifest/layer-json.ts';
import type { CreateRequest } from '../model-registry.ts';
import { displayName, parseName, tryParseName } from '../names/model-name.ts';
import { splitSource } from '../names/source-suffix.ts';
import type { PullProgress } from '../progress.ts';
import { readFiles } from './file-kind.ts';
import { checkQuantize } from './quantize.ts';

export interface CreateContext extends Installer {
  pull(model: string, signal: AbortSignal): AsyncIterable<PullProgress>;
}

/**
 * Makes a model of another one or of uploaded files. What is wrong is found before anything is written: it is thrown
 * as ApiError with its own status, as far as no line was told before.
 */
export async function* create(
  context: CreateContext,
  request: CreateRequest,
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const name = parseName(splitSource(request.model).name);
  let base: BaseModel | undefined;
  const files: ModelFile[] = [];
  if (request.from) base = yield* baseOf(context, request.from, signal);
  else if (request.files) files.push(...(yield* readFiles(context, request.files)));
  else throw new ApiError(400, "neither 'from' or 'files' was specified");
  if (request.adapters) files.push(...(yield* readAdapters(context, request.adapters)));
  const all = [...(base?.model.files ?? []), ...files];
  const weights = all.filter((file) => file.role === 'weights');
  if (weights.length > 1) throw new ApiError(400, 'more than one model is among the files');
  if (request.quantize && weights[0])
    checkQuantize(request.quantize, (await context.metadata.get(weights[0].digest)).quantization);
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
      ...sortParameters(request.parameters),
      ...(request.messages.length > 0 ? { messages: readMessages(JSON.stringify(request.messages)) } : {}),
    },
    ...(request.messages.length > 0 ? { rawMessages: request.messages } : {}),
    ...(base ? { base } : {}),
    config: configOf(request),
    tellLayers: true,
  });
}

async function* baseOf(
  context: CreateContext,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<PullProgress, BaseModel> {
  const { name: spelled, source } = splitSource(from);
  const name = tryParseName(spelled);
  if (!name) throw new ApiError(400, 'invalid model name');
  if (source === 'cloud') throw new ApiError(403, 'ollama cloud is disabled: remote model is unavailable');
  let model = await context.models.find(name);
  if (!model) {
    // The end of this pull is not the end of what was asked for.
    for await (const line of context.pull(spelled, signal)) if (line.status !== 'success') yield line;
    model = await context.models.find(name);
  }
  if (!model) throw new ApiError(404, `model '${displayName(name)}' not found`);
  const whole = await withManifest(context, model);
  return { model: whole.model, layers: whole.manifest.layers };
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
      ? capabilities.filter((each): each is string => typeof each === 'string')
      : undefined,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
