import {
  ApiError,
  arrayOf,
  booleanField,
  customField,
  type DecodedValue,
  decodeBody,
  float64Field,
  integerField,
  type JsonDocument,
  rawField,
  reportMismatch,
  stringField,
  structOf,
} from '#core/http';
import type { Message, ThinkLevel } from '../../base/messages.ts';
import type { ModelOptions } from '../../base/model-options.ts';
import { localName, requireModel } from '../../runs/model-name.ts';
import type { ChatRequest } from '../../runs/requests.ts';
import { type DialectRequest, RUN_DEFAULTS } from '../dialect-request.ts';
import { decodeContent, looseBlocks } from './blocks.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { readHistory, type WireMessage } from './history.ts';
import { readMessageTools, toolFields } from './tools.ts';

const messageFields = structOf('', { role: stringField, content: rawField });

const message = customField<WireMessage>('anthropic.MessageParam', (node, place) => {
  if (node.type === 'null') return undefined;
  if (node.type !== 'object') return reportMismatch(node, 'anthropic.MessageParam', place);
  const { role = '', content } = messageFields.decode(node, place) ?? {};
  return { role: role.toLowerCase(), blocks: decodeContent(content, place) ?? [] };
});

const requestFields = structOf('anthropic.MessagesRequest', {
  model: stringField,
  max_tokens: integerField,
  messages: arrayOf(message, '[]anthropic.MessageParam'),
  system: rawField,
  stream: booleanField,
  temperature: float64Field,
  top_p: float64Field,
  top_k: integerField,
  stop_sequences: arrayOf(stringField),
  tools: arrayOf(toolFields, '[]anthropic.Tool'),
  thinking: structOf('anthropic.ThinkingConfig', { type: stringField, budget_tokens: integerField }),
  output_config: structOf('anthropic.OutputConfig', { effort: stringField }),
});

type Body = DecodedValue<typeof requestFields>;

function readSystem(system: Body['system']): string {
  if (system?.type === 'string') return system.value;
  return looseBlocks(system)
    .map((block) => (block.type === 'text' ? (block.text ?? '') : ''))
    .join('');
}

function readOptions(body: Body): ModelOptions {
  const options: ModelOptions = { num_predict: body.max_tokens ?? 0 };
  if (body.temperature !== undefined) options.temperature = body.temperature;
  if (body.top_p !== undefined) options.top_p = body.top_p;
  if (body.top_k !== undefined) options.top_k = body.top_k;
  if (body.stop_sequences?.length) options.stop = body.stop_sequences.map((stop) => stop ?? '');
  return options;
}

const EFFORTS: Record<string, ThinkLevel> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'max',
};

/** An unknown effort is ignored. */
function readThink({ thinking, output_config }: Body): ChatRequest['think'] {
  if (thinking?.type === 'enabled') return true;
  if (thinking?.type === 'disabled') return false;
  const effort = output_config?.effort?.trim().toLowerCase() ?? '';
  return Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
}

export interface MessagesRequest extends DialectRequest<ChatRequest> {
  /** The request offers the web search as a tool. */
  offersSearch: boolean;
  /** Estimated tokens of the prompt. */
  estimate: number;
}

/**
 * Translates a request of /v1/messages.
 * @throws ApiError 400 for a body that cannot be read
 */
export function readMessagesRequest(document: JsonDocument): MessagesRequest {
  const body = decodeBody(requestFields, document);
  const { model = '', stream = false } = body;
  requireModel(model);
  if ((body.max_tokens ?? 0) <= 0) throw new ApiError(400, 'max_tokens is required and must be positive');
  if (!body.messages?.length) throw new ApiError(400, 'messages is required');
  const wireMessages = body.messages.map((entry) => entry ?? { role: '', blocks: [] });
  const wireTools = (body.tools ?? []).map((tool) => tool ?? {});
  const system = readSystem(body.system);
  const messages: Message[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...readHistory(wireMessages),
  ];
  const { tools, offersSearch } = readMessageTools(wireTools, document.source);
  return {
    requestedName: model,
    stream,
    offersSearch,
    estimate: estimateTokens(system, wireMessages, wireTools),
    toRequest: () => ({
      model: localName(model),
      messages,
      tools,
      options: readOptions(body),
      think: readThink(body),
      ...RUN_DEFAULTS,
    }),
  };
}
