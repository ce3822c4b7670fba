/** POST /api/chat */
import {
  ApiError,
  arrayOf,
  decodeBody,
  formatUtcTime,
  omitIfEmpty,
  type RouteCall,
  readBodyJson,
  structOf,
} from '#core/http';
import type { ToolCall } from '../base/messages.ts';
import type { RunEvent } from '../runs/events.ts';
import type { LocalModels } from '../runs/services.ts';
import { message, readMessage, runFields, tool } from './fields.ts';
import { checkTopLogprobs, readRun, readRunFormat } from './run-request.ts';
import { type Lines, respondToRun } from './run-response.ts';
import { wireLogprobs, wireStatistics, wireToolCalls } from './wire.ts';

const chatFields = structOf('api.ChatRequest', {
  ...runFields,
  messages: arrayOf(message, '[]api.Message'),
  tools: arrayOf(tool, 'api.Tools'),
});

/** `spelled`: the model as the client wrote it. */
export function chatLines(spelled: string, now: () => number): Lines {
  let callsSent = 0;
  /** Calls that are told with the end. */
  const kept: ToolCall[] = [];
  const head = () => ({ model: spelled, created_at: formatUtcTime(now()) });
  const assistant = (content: string, thinking = '', calls: ToolCall[] = []) => {
    const toolCalls = wireToolCalls(calls, callsSent);
    callsSent += calls.length;
    return { role: 'assistant', content, thinking: omitIfEmpty(thinking), tool_calls: toolCalls };
  };
  return {
    event(event: RunEvent) {
      if (event.type === 'done')
        return {
          ...head(),
          message: assistant('', '', kept),
          done: true,
          done_reason: event.reason,
          ...wireStatistics(event.statistics),
        };
      if (event.type === 'tool-calls' && event.withEnd) {
        kept.push(...event.calls);
        return undefined;
      }
      if (event.type === 'tool-calls')
        return { ...head(), message: assistant('', '', event.calls), done: false };
      return {
        ...head(),
        message: assistant(event.content, event.thinking),
        done: false,
        logprobs: wireLogprobs(event.logprobs),
      };
    },
    whole: (answer) => ({
      ...head(),
      message: assistant(answer.content, answer.thinking, answer.toolCalls),
      done: true,
      done_reason: answer.done.reason,
      logprobs: wireLogprobs(answer.logprobs),
      ...wireStatistics(answer.done.statistics),
    }),
    state: (reason) => ({ ...head(), message: assistant(''), done: true, done_reason: reason }),
    rendered: (text) => ({
      ...head(),
      message: { role: '', content: '' },
      done: false,
      _debug_info: { rendered_template: text },
    }),
  };
}

export async function chat(models: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const document = await readBodyJson(request, signal);
  const body = decodeBody(chatFields, document);
  checkTopLogprobs(body.top_logprobs ?? 0);
  const spelled = body.model ?? '';
  if (spelled.trim() === '') throw new ApiError(400, 'model is required');
  const run = await readRun(body, models.registry);
  const messages = (body.messages ?? []).map((fields) => readMessage(fields ?? {}));
  const tools = (body.tools ?? []).filter((entry) => entry !== undefined);
  return respondToRun(
    models,
    // Loading, unloading and rendering are answered in one piece.
    (body.stream ?? true) && messages.length > 0 && !run.debugRenderOnly,
    chatLines(spelled, () => models.host.clock.now()),
    {
      format: () => readRunFormat(body, document.source, models.registry),
      begin: (format, stopped) => models.text.chat({ ...run, format, messages, tools }, stopped),
    },
    signal,
  );
}
