/** POST /api/chat */
import {
  arrayOf,
  booleanField,
  decodeBody,
  formatUtcTime,
  omitIfEmpty,
  type RouteCall,
  readBodyJson,
  structOf,
} from '#core/http';
import type { ToolCall } from '../base/messages.ts';
import { checkTopLogprobs, wireLogprobs } from '../runs/logprobs.ts';
import { requireModel } from '../runs/model-name.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { tool } from '../runs/tool-fields.ts';
import { message, readMessage, runFields } from './fields.ts';
import { readRun, readRunFormat } from './run-request.ts';
import { type RunPrinter, respondToRun } from './run-response.ts';
import { wireStatistics, wireToolCalls } from './wire.ts';

const chatFields = structOf('api.ChatRequest', {
  ...runFields,
  messages: arrayOf(message, '[]api.Message'),
  tools: arrayOf(tool, 'api.Tools'),
  // Not a field of Ollama: its templates decide.
  continue_final_message: booleanField,
});

/**
 * Prints one chat.
 * @param requestedName the model as the client wrote it
 */
export function chatPrinter(requestedName: string, now: () => number): RunPrinter {
  let callsSent = 0;
  /** Tool calls that are sent in the last line. */
  const callsWithEnd: ToolCall[] = [];
  const head = () => ({ model: requestedName, created_at: formatUtcTime(now()) });
  const assistant = (content: string, thinking = '', calls: ToolCall[] = []) => {
    const toolCalls = wireToolCalls(calls, callsSent);
    callsSent += calls.length;
    return { role: 'assistant', content, thinking: omitIfEmpty(thinking), tool_calls: toolCalls };
  };
  return {
    event(event) {
      if (event.type === 'done')
        return {
          ...head(),
          message: assistant('', '', callsWithEnd),
          done: true,
          done_reason: event.reason,
          ...wireStatistics(event.statistics),
        };
      if (event.type === 'tool-calls' && event.withEnd) {
        callsWithEnd.push(...event.calls);
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
    complete: (answer) => ({
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

export async function ollamaChat(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { host, registry, textService } = services;
  const document = await readBodyJson(request, signal);
  const body = decodeBody(chatFields, document);
  checkTopLogprobs(body.top_logprobs ?? 0);
  const requestedName = body.model ?? '';
  requireModel(requestedName.trim());
  const run = await readRun(body, registry);
  const messages = (body.messages ?? []).map((fields) => readMessage(fields ?? {}));
  const tools = (body.tools ?? []).filter((entry) => entry !== undefined);
  // Loading, unloading and rendering are answered with one object.
  const stream = (body.stream ?? true) && messages.length > 0 && !run.debugRenderOnly;
  return respondToRun(
    services,
    stream,
    chatPrinter(requestedName, () => host.clock.now()),
    async (runSignal) => {
      const format = await readRunFormat(body, document.source, registry);
      const continuesLast = body.continue_final_message === true;
      const chat = { ...run, format, messages, tools, ...(continuesLast && { continuesLast }) };
      return textService.chat(chat, runSignal);
    },
    signal,
  );
}
