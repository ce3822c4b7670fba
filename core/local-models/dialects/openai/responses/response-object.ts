/** The `response` object and the items of its output. */

import { printJson } from '#core/http';
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { RunStatistics } from '#core/local-models/runs/events.ts';
import type { Echo } from './request.ts';

export interface ResponseState {
  id: string;
  /** Seconds since 1970. */
  createdAt: number;
  /** Seconds since 1970. */
  completedAt: number | null;
  status: 'in_progress' | 'completed' | 'failed';
  output: object[];
  error: { code: string; message: string } | null;
  usage: object | null;
}

/** Fields in Ollama's order. */
export function responseObject(echo: Echo, reasoning: object | null, state: ResponseState): object {
  return {
    id: state.id,
    object: 'response',
    created_at: state.createdAt,
    completed_at: state.completedAt,
    status: state.status,
    incomplete_details: null,
    model: echo.model,
    previous_response_id: null,
    instructions: echo.instructions,
    output: state.output,
    error: state.error,
    tools: echo.tools,
    tool_choice: 'auto',
    truncation: echo.truncation,
    parallel_tool_calls: true,
    text: { format: echo.format },
    top_p: echo.topP,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    temperature: echo.temperature,
    reasoning,
    usage: state.usage,
    max_output_tokens: echo.maxOutputTokens,
    max_tool_calls: null,
    store: false,
    background: echo.background,
    service_tier: 'default',
    metadata: {},
    safety_identifier: null,
    prompt_cache_key: null,
  };
}

export const responseUsage = ({ promptEvalCount, evalCount }: RunStatistics) => ({
  input_tokens: promptEvalCount,
  output_tokens: evalCount,
  total_tokens: promptEvalCount + evalCount,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
});

export const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

/** @param text the complete text; undefined while the message is in progress */
export const messageItem = (id: string, text?: string) => ({
  id,
  type: 'message',
  status: text === undefined ? 'in_progress' : 'completed',
  role: 'assistant',
  content: text === undefined ? [] : [textPart(text)],
});

export const summaryPart = (text: string) => ({ type: 'summary_text', text });

export const reasoningItem = (id: string, text: string) => ({
  id,
  type: 'reasoning',
  summary: [summaryPart(text)],
  // OpenAI encrypts it against the client. Here it is plain text, which clients send back unchanged.
  encrypted_content: text,
});

export const callItem = (id: string, call: ToolCall) => ({
  id,
  type: 'function_call',
  status: 'completed',
  call_id: call.id ?? '',
  name: call.name,
  arguments: printJson(call.arguments),
});
