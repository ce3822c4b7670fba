/** Translates Anthropic's messages to chat messages. Results of tools become messages of their own. */
import { ApiError, type JsonNode, printJson, toPlainValue } from '#core/http';
import type { Message, ToolCall } from '../../base/messages.ts';
import { type Block, decodeImageSource, looseBlocks } from './blocks.ts';

export interface WireMessage {
  role: string;
  blocks: Block[];
}

function readToolUse(block: Block, isRequired: boolean): ToolCall {
  if (isRequired && !block.id) throw new ApiError(400, "tool_use block missing required 'id' field");
  if (isRequired && !block.name) throw new ApiError(400, "tool_use block missing required 'name' field");
  return { id: block.id ?? '', name: block.name ?? '', arguments: block.input ?? {} };
}

function readToolResult(block: Block): Message {
  const { content } = block;
  const parts = looseBlocks(content);
  const images = parts
    .filter(({ type }) => type === 'image')
    .map(({ source }) => {
      if (!source) throw new ApiError(400, 'invalid tool_result image source');
      return decodeImageSource(source);
    });
  const text = parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  return {
    role: 'tool',
    content: content?.type === 'string' ? content.value : text,
    ...(images.length > 0 && { images }),
    toolCallId: block.tool_use_id ?? '',
  };
}

/** The results of a web search that another server made, one on each line, or its error. */
function searchResultText(content: JsonNode | undefined): string {
  if (!content || content.type === 'null') return 'null';
  if (content.type === 'string') return content.value;
  const value = toPlainValue(content);
  const items = (Array.isArray(value) ? value : [value]) as Record<string, unknown>[];
  const failed = items.find((item) => item?.type === 'web_search_tool_result_error');
  if (failed) return [failed.type, failed.error_code].filter(Boolean).join(': ');
  if (!Array.isArray(value)) return printJson(value);
  return items
    .filter((item) => item?.type === 'web_search_result')
    .map(({ title, url }) => `- ${title ?? ''}: ${url ?? ''}\n`)
    .join('');
}

function readMessage({ role, blocks }: WireMessage): Message[] {
  const ofType = (type: string) => blocks.filter((block) => block.type === type);
  const content = ofType('text')
    .map(({ text }) => text ?? '')
    .join('');
  const images = ofType('image').map(({ source }) => {
    if (!source) throw new ApiError(400, 'invalid image source');
    return decodeImageSource(source);
  });
  const toolCalls = blocks.flatMap((block) => {
    if (block.type === 'tool_use') return [readToolUse(block, true)];
    return block.type === 'server_tool_use' ? [readToolUse(block, false)] : [];
  });
  const thinking = ofType('thinking').at(-1)?.thinking ?? '';
  const results = blocks.flatMap((block): Message[] => {
    if (block.type === 'tool_result') return [readToolResult(block)];
    if (block.type !== 'web_search_tool_result') return [];
    return [{ role: 'tool', content: searchResultText(block.content), toolCallId: block.tool_use_id ?? '' }];
  });

  const own: Message = {
    role,
    content,
    ...(images.length > 0 && { images }),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(thinking !== '' && { thinking }),
  };
  const messages = content !== '' || Object.keys(own).length > 2 ? [own] : [];
  // A user's results answer the calls before the message. An assistant's results belong to calls of the same message.
  return role === 'user' ? [...results, ...messages] : [...messages, ...results];
}

/**
 * Translates the messages of a request. Unknown blocks are ignored.
 * @throws ApiError 400 for blocks that cannot be read
 */
export function readHistory(messages: WireMessage[]): Message[] {
  const all = messages.flatMap(readMessage);
  const calls = all.flatMap((message) => message.toolCalls ?? []);
  return all.map((message) => {
    const toolName = calls.findLast(({ id }) => id && id === message.toolCallId)?.name;
    return message.role === 'tool' && toolName ? { ...message, toolName } : message;
  });
}
