/** POST /api/show */
import {
  booleanField,
  decodeBody,
  formatLocalTime,
  jsonResponse,
  omitIfEmpty,
  type RouteCall,
  readBodyJson,
  shortestFloat32,
  stringField,
  structOf,
} from '#core/http';
import type { InstalledModel, ModelMetadata } from '../base/installed-model.ts';
import type { Message } from '../base/messages.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { variantDevice } from '../registry/variants/rate-variant.ts';
import { localName, modelNotFound, requireModel } from '../runs/model-name.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { optionMap } from './fields.ts';
import { wireDetails } from './listing.ts';
import { modelfile, parameterLines } from './modelfile.ts';
import { readOptions } from './options.ts';
import { wireVariants } from './variants.ts';
import { wireToolCalls } from './wire.ts';

const showFields = structOf('api.ShowRequest', {
  model: stringField,
  name: stringField,
  verbose: booleanField,
  system: stringField,
  template: stringField,
  options: optionMap,
});

const PARAMETER_COUNT = 'general.parameter_count';
const HIDDEN = new Set(['general.name', 'tokenizer.chat_template']);

function modelInfo(metadata: ModelMetadata, verbose: boolean): Record<string, unknown> {
  const info: Record<string, unknown> = {};
  // A file without the count gets the sum of its tensors' sizes.
  const computed: [string, unknown][] = metadata.keyValues.some(([key]) => key === PARAMETER_COUNT)
    ? []
    : [[PARAMETER_COUNT, metadata.parameterCount]];
  const sorted = [...metadata.keyValues, ...computed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, value] of sorted) {
    if (HIDDEN.has(key)) continue;
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const items = verbose ? Array.from(value as Iterable<unknown>) : null;
      info[key] = items?.map((item) => (typeof item === 'number' ? shortestFloat32(item) : item)) ?? null;
    } else info[key] = typeof value === 'number' ? shortestFloat32(value) : value;
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
  thinking: omitIfEmpty(message.thinking),
  tool_calls: wireToolCalls(message.toolCalls ?? []),
  tool_name: omitIfEmpty(message.toolName),
  tool_call_id: omitIfEmpty(message.toolCallId),
});

export async function showModel(
  { registry, host }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(showFields, await readBodyJson(request, signal));
  const requestedName = body.model || body.name || '';
  requireModel(requestedName);
  const name = registry.parse(localName(requestedName, 'remote model details are unavailable'));
  const installed = await registry.find(name);
  if (!installed) throw modelNotFound(registry.display(name));
  const overrides = readOptions(body.options);
  const model = { ...installed, system: body.system || installed.system };
  const metadata = await registry.metadata(installed, { arrays: body.verbose ?? false });
  const projector = await projectorMetadata(registry, installed);
  const info = modelInfo(metadata, body.verbose ?? false);
  // Copilot shows the base name in its list, where users look for the name that they chose. Ollama does the same.
  if (request.headers.get('user-agent')?.startsWith('GitHubCopilotChat/'))
    info['general.basename'] = requestedName;
  return jsonResponse({
    license: omitIfEmpty(model.licences.join('\n')),
    modelfile: modelfile(registry.display(model.name), model, overrides),
    parameters: omitIfEmpty(parameterLines(model)),
    template: model.template ?? metadata.chatTemplate ?? '{{ .Prompt }}',
    system: omitIfEmpty(model.system ?? ''),
    renderer: omitIfEmpty(model.config?.renderer ?? ''),
    parser: omitIfEmpty(model.config?.parser ?? ''),
    details: wireDetails(model, metadata),
    messages: omitIfEmpty(model.messages.map(wireMessage)),
    model_info: info,
    projector_info: projector && modelInfo(projector, body.verbose ?? false),
    tensors: omitIfEmpty(metadata.tensors.map(({ name, type, shape }) => ({ name, type, shape }))),
    capabilities: omitIfEmpty(model.capabilities),
    modified_at: formatLocalTime(model.modifiedAt, host.clock.now()),
    variants: installed.variants && wireVariants(installed, await variantDevice(host)),
    requires: omitIfEmpty(model.config?.requires ?? ''),
  });
}
