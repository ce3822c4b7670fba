/** Parts of Anthropic's messages, with fields in Ollama's order. */

import type { ToolCall } from '../../base/messages.ts';
import type { RunStatistics } from '../../runs/events.ts';
import type { DialectAnswer, DialectEnd } from '../respond.ts';
import { findSearch } from '../web-search.ts';

export const messageHead = (id: string, model: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
});

export const messageUsage = ({ promptEvalCount, evalCount }: RunStatistics) => ({
  input_tokens: promptEvalCount,
  output_tokens: evalCount,
});

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', load: 'stop_sequence' };

export function stopReason(reason: DialectEnd['reason'], hasCalls: boolean): string {
  return hasCalls ? 'tool_use' : STOP_REASONS[reason];
}

export const toolUse = (call: ToolCall) => ({
  type: 'tool_use',
  id: call.id ?? '',
  name: call.name,
  input: call.arguments,
});

/** The blocks for a web search that the model asked for: its query, and the error that it is unavailable. */
export function searchBlocks(messageId: string, calls: ToolCall[]): object[] {
  const id = messageId.replace(/^msg_/, 'srvtoolu_');
  const query = findSearch(calls)?.arguments.query;
  return [
    {
      type: 'server_tool_use',
      id,
      name: 'web_search',
      input: { query: typeof query === 'string' ? query : '' },
    },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
    },
  ];
}

/** The object of a complete message. `searches`: calls of the web search are not for the client to answer. */
export function completeMessage(
  { content, thinking, toolCalls, done }: DialectAnswer,
  { id, model, offersSearch }: { id: string; model: string; offersSearch: boolean },
): object {
  const isSearch = offersSearch && findSearch(toolCalls) !== undefined;
  const blocks = [
    ...(thinking ? [{ type: 'thinking', thinking }] : []),
    ...(content ? [{ type: 'text', text: content }] : []),
    ...(isSearch ? searchBlocks(id, toolCalls) : toolCalls.map(toolUse)),
  ];
  return {
    ...messageHead(id, model),
    content: blocks.length > 0 ? blocks : null,
    stop_reason: isSearch ? 'end_turn' : stopReason(done.reason, toolCalls.length > 0),
    usage: messageUsage(done.statistics),
  };
}
