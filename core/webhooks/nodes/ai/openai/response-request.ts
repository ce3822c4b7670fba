/** The body of a request for a response, from the node's parameters. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { AgentTool } from '../../../node-api/sub-nodes.ts';
import { objectList } from '../../shared/object-list.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';
import { imagePart } from '../chains/image-part.ts';
import { builtInTools } from './built-in-tools.ts';

interface Parts {
  model: string;
  options: JsonObject;
  tools: AgentTool[];
}

export type ResponseRequest = JsonObject & { input: JsonObject[] };

export async function responseRequest(
  context: NodeContext,
  index: number,
  { model, options, tools }: Parts,
): Promise<ResponseRequest> {
  const stored = objectList(await context.parameter('responses.values', index, []));
  const messages: JsonObject[] = [];
  for (const { role = 'user', ...message } of stored)
    messages.push({ role, content: [await contentPart(context, index, String(role), message)] });
  const format = formatFields(options);
  const own = tools.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    parameters: schema,
    strict: false,
    description,
  }));
  const { backgroundMode, reasoning, promptConfig, metadata, truncation } = options;
  const body = withoutEmpty({
    model,
    parallel_tool_calls: options.parallelToolCalls ?? true,
    store: options.store ?? true,
    instructions: options.instructions,
    max_output_tokens: options.maxTokens,
    previous_response_id: options.previousResponseId,
    prompt_cache_key: options.promptCacheKey,
    safety_identifier: options.safetyIdentifier,
    service_tier: options.serviceTier,
    temperature: options.temperature,
    top_p: options.topP,
    top_logprobs: options.topLogprobs,
    tools: [...own, ...builtInTools(await context.parameter('builtInTools', index, {}))],
    max_tool_calls: options.maxToolCalls,
    background: groupOf(backgroundMode, 'values').enabled === true,
    truncation: truncation === undefined ? undefined : truncation ? 'auto' : 'disabled',
    conversation: options.conversationId,
    include: options.include,
    metadata: metadata && parseJsonParameter(metadata, 'Failed to parse metadata'),
    prompt: promptConfig && promptFields(groupOf(promptConfig, 'promptOptions')),
    reasoning: reasoning && reasoningFields(groupOf(reasoning, 'reasoningOptions')),
    text: format,
  });
  const isJson = isObject(format?.format) && format.format.type === 'json_object';
  const input = isJson ? [JSON_INSTRUCTION, ...messages] : messages;
  return { ...body, input };
}

const JSON_INSTRUCTION = {
  role: 'system',
  content: [{ type: 'input_text', text: 'You are a helpful assistant designed to output JSON.' }],
};

async function contentPart(
  context: NodeContext,
  index: number,
  role: string,
  { type = 'text', ...fields }: JsonObject,
): Promise<JsonObject> {
  const property = String(fields.binaryPropertyName ?? 'data');
  if (type === 'image') {
    const { imageType = 'url', imageDetail = 'auto', imageUrl, fileId } = fields;
    const image = { type: 'input_image', detail: imageDetail || 'auto' };
    if (imageType === 'fileId') return { ...image, file_id: fileId };
    const url = imageType === 'base64' ? await imagePart(context, index, property) : imageUrl;
    return { ...image, image_url: url };
  }
  if (type === 'file') {
    const { fileType = 'url', fileUrl, fileId, fileName } = fields;
    if (fileType === 'fileId') return { type: 'input_file', file_id: fileId };
    if (fileType !== 'base64') return { type: 'input_file', file_url: fileUrl };
    const data = await imagePart(context, index, property);
    return { type: 'input_file', filename: fileName, file_data: data };
  }
  const text = String(fields.content ?? '');
  return { type: role === 'assistant' ? 'output_text' : 'input_text', text };
}

/** The field `text`: how the answer is written. */
function formatFields({ textFormat }: JsonObject): JsonObject | undefined {
  if (!textFormat) return undefined;
  const { type, verbosity, name, schema, description, strict } = groupOf(textFormat, 'textOptions');
  const schemaFields = type === 'json_schema' && {
    name,
    schema: parseJsonParameter(schema, 'Failed to parse schema'),
    description,
    strict,
  };
  const format = type ? withoutEmpty({ type, ...schemaFields }) : undefined;
  return withoutEmpty({ verbosity, format });
}

function promptFields({ promptId, version, variables }: JsonObject): JsonObject {
  const parsed = variables && parseJsonParameter(variables, 'Failed to parse prompt variables');
  return withoutEmpty({ id: promptId, version, variables: parsed });
}

function reasoningFields({ effort, summary }: JsonObject): JsonObject {
  return withoutEmpty({ effort, summary: summary === 'none' ? undefined : summary });
}

/** A group of a fixed collection, which older files store as a list of one. */
function groupOf(value: unknown, name: string): JsonObject {
  const group: unknown = isObject(value) ? value[name] : undefined;
  const [first] = Array.isArray(group) ? group : [group];
  return isObject(first) ? first : {};
}

/** Without fields that are undefined, an empty text, an empty list or an empty object. */
function withoutEmpty(fields: JsonObject): JsonObject {
  const isEmpty = (value: unknown) =>
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}
