/** From Anthropic's messages to internal ones: a message is text, images, calls and thinking, results stand alone. */
import { ApiError, type JsonNode, printJson, toPlainValue } from '#core/http';
import type { Message, ToolCall } from '../../base/messages.ts';
import { type Block, decodeImage, looseBlocks } from './blocks.ts';

export interface WireMessage {
  role: string;
  blocks: Block[];
}

function readToolUse(block: Block, checked: boolean): ToolCall {
  if (checked && !block.id) throw new ApiError(400, "tool_use block missing required 'id' field");
  if (checked && !block.name) throw new ApiError(400, "tool_use block missing required 'name' field");
  return { id: block.id ?? '', name: block.name ?? '', arguments: block.input ?? {} };
}

function readToolResult(block: Block): Message {
  const { content } = block;
  const parts = looseBlocks(content);
  const images = parts
    .filter(({ type }) => type === 'image')
    .map(({ source }) => {
      if (!source) throw new ApiError(400, 'invalid tool_result image source');
      return decodeImage(source);
    });
  const text = parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  return {
    role: 'tool',
    content: content?.type === 'string' ? content.value : text,
    ...(images.length > 0 && { images }),
    toolCallId: block.tool_use_id ?? '',
  };
}

/** Results of a search made elsewhere, as lines of text; or the error instead of them. */
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
  const of = (type: string) => blocks.filter((block) => block.type === type);
  const content = of('text')
    .map(({ text }) => text ?? '')
    .join('');
  const images = of('image').map(({ source }) => {
    if (!source) throw new ApiError(400, 'invalid image source');
    return decodeImage(source);
  });
  const toolCalls = blocks.flatMap((block) => {
    if (block.type === 'tool_use') return [readToolUse(block, true)];
    return block.type === 'server_tool_use' ? [readToolUse(block, false)] : [];
  });
  const thinking = of('thinking').at(-1)?.thinking ?? '';
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
  const said = content !== '' || Object.keys(own).length > 2 ? [own] : [];
  // A user answers the calls first and then speaks; whatever an assistant's message holds of results follows its calls.
  return role === 'user' ? [...results, ...said] : [...said, ...results];
}

/** Throws ApiError 400 for blocks that cannot be read; unknown ones are passed over. */
export function readHistory(messages: WireMessage[]): Message[] {
  const all = messages.flatMap(readMessage);
  const calls = all.flatMap((message) => message.toolCalls ?? []);
  return all.map((message) => {
    const toolName = calls.findLast(({ id }) => id && id === message.toolCallId)?.name;
    return message.role === 'tool' && toolName ? { ...message, toolName } : message;
  });
}
