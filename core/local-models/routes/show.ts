/** POST /api/show */
import {
  bool,
  decodeBody,
  jsonResponse,
  localTime,
  orOmit,
  type RouteCall,
  readJson,
  shortFloat,
  string,
  struct,
} from '#core/http';
import type { InstalledModel, ModelMetadata } from '../base/installed-model.ts';
import type { Message } from '../base/messages.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { variantDevice } from '../registry/variants/choose-variant.ts';
import { localName, modelNotFound, requireModel } from '../runs/model-name.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { optionMap } from './fields.ts';
import { wireDetails } from './listing.ts';
import { modelfile, parameterLines } from './modelfile.ts';
import { readOptions } from './options.ts';
import { wireVariants } from './variants.ts';
import { wireToolCalls } from './wire.ts';

const showFields = struct('api.ShowRequest', {
  model: string,
  name: string,
  verbose: bool,
  system: string,
  template: string,
  options: optionMap,
});

const PARAMETER_COUNT = 'general.parameter_count';
const HIDDEN = new Set(['general.name', 'tokenizer.chat_template']);

function modelInfo(metadata: ModelMetadata, verbose: boolean): Record<string, unknown> {
  const info: Record<string, unknown> = {};
  // Many files lack the count; it is then the sum of the tensors' sizes.
  const computed: [string, unknown][] = metadata.keyValues.some(([key]) => key === PARAMETER_COUNT)
    ? []
    : [[PARAMETER_COUNT, metadata.parameterCount]];
  const sorted = [...metadata.keyValues, ...computed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, value] of sorted) {
    if (HIDDEN.has(key)) continue;
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const items = verbose ? Array.from(value as Iterable<unknown>) : null;
      info[key] = items?.map((item) => (typeof item === 'number' ? shortFloat(item) : item)) ?? null;
    } else info[key] = typeof value === 'number' ? shortFloat(value) : value;
  }
  return info;
}

async function projectorMetadata(
  registry: ModelRegistry,
  model: InstalledModel,
): Promise<ModelMetadata | undefined> {
  const has = model.files.some(({ role }) => role === 'projector');
  return has ? await registry.metadata(model, { role: 'projector' }) : undefined;
}

const wireMessage = (message: Message) => ({
  role: message.role,
  content: message.content,
  thinking: orOmit(message.thinking),
  tool_calls: wireToolCalls(message.toolCalls ?? []),
  tool_name: orOmit(message.toolName),
  tool_call_id: orOmit(message.toolCallId),
});

export async function show(
  { registry, host }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(showFields, await readJson(request, signal));
  const spelled = body.model || body.name || '';
  requireModel(spelled);
  const name = registry.parse(localName(spelled, 'remote model details are unavailable'));
  const installed = await registry.find(name);
  if (!installed) throw modelNotFound(registry.display(name));
  const overrides = readOptions(body.options);
  const model = { ...installed, system: body.system || installed.system };
  const metadata = await registry.metadata(installed, { arrays: body.verbose ?? false });
  const projector = await projectorMetadata(registry, installed);
  const info = modelInfo(metadata, body.verbose ?? false);
  // Copilot shows the base name in its list, where users look for the name that they chose. Ollama does the same.
  if (request.headers.get('user-agent')?.startsWith('GitHubCopilotChat/')) info['general.basename'] = spelled;
  return jsonResponse({
    license: orOmit(model.licences.join('\n')),
    modelfile: modelfile(registry.display(model.name), model, overrides),
    parameters: orOmit(parameterLines(model)),
    template: model.template ?? metadata.chatTemplate ?? '{{ .Prompt }}',
    system: orOmit(model.system ?? ''),
    renderer: orOmit(model.config?.renderer ?? ''),
    parser: orOmit(model.config?.parser ?? ''),
    details: wireDetails(model, metadata),
    messages: orOmit(model.messages.map(wireMessage)),
    model_info: info,
    projector_info: projector && modelInfo(projector, body.verbose ?? false),
    tensors: orOmit(metadata.tensors.map(({ name, type, shape }) => ({ name, type, shape }))),
    capabilities: orOmit(model.capabilities),
    modified_at: localTime(model.modifiedAt, host.clock.now()),
    variants: installed.variants && wireVariants(installed, await variantDevice(host)),
    requires: orOmit(model.config?.requires ?? ''),
  });
}
