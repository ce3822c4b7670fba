/** Prints runs as OpenAI's chat completions, with fields in Ollama's order. */
import { omitIfEmpty, printJson } from '#core/http';
import type { ToolCall } from '../../base/messages.ts';
import type { Logprob, RunStatistics } from '../../runs/events.ts';
import { wireLogprobs } from '../../runs/logprobs.ts';
import { randomNumber } from '../random-id.ts';
import type { DialectAnswer, DialectEvent } from '../respond.ts';

export const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

export function wireUsage({ promptEvalCount, evalCount }: RunStatistics) {
  return {
    prompt_tokens: promptEvalCount,
    completion_tokens: evalCount,
    total_tokens: promptEvalCount + evalCount,
  };
}

function wireCalls(calls: ToolCall[], firstIndex = 0) {
  return omitIfEmpty(
    calls.map((call, i) => ({
      id: call.id ?? '',
      index: firstIndex + i,
      type: 'function',
      function: { name: call.name, arguments: printJson(call.arguments) },
    })),
  );
}

function wireChoiceLogprobs(logprobs: Logprob[] | undefined): object | undefined {
  const content = wireLogprobs(logprobs);
  return content && { content };
}

/** Prints one answer. All of its objects have the same id and time. */
export class ChatPrinter {
  readonly #head: { id: string; created: number };
  #calls = 0;
  #started = false;

  /** `now`: milliseconds since 1970. */
  constructor(
    readonly model: string,
    now: number,
  ) {
    this.#head = { id: `chatcmpl-${randomNumber(999)}`, created: Math.floor(now / 1000) };
  }

  #object(kind: 'chat.completion' | 'chat.completion.chunk', choices: object[], usage?: object) {
    return {
      id: this.#head.id,
      object: kind,
      created: this.#head.created,
      model: this.model,
      system_fingerprint: 'fp_ollama',
      choices,
      usage,
    };
  }

  #chunk(delta: object, finishReason: string | null, logprobs?: object) {
    return this.#object('chat.completion.chunk', [
      { index: 0, delta, finish_reason: finishReason, logprobs },
    ]);
  }

  /** Only the first delta has the role. */
  #delta(fields: object): object {
    const role = this.#started ? undefined : 'assistant';
    this.#started = true;
    return { role, ...fields };
  }

  /** The chunks for an event. `includeUsage`: a chunk with the usage follows the last one. */
  chunks(event: DialectEvent, includeUsage: boolean): object[] {
    switch (event.type) {
      case 'text': {
        const delta = this.#delta({ content: event.content, reasoning: omitIfEmpty(event.thinking) });
        return [this.#chunk(delta, null, wireChoiceLogprobs(event.logprobs))];
      }
      case 'tool-calls': {
        const tool_calls = wireCalls(event.calls, this.#calls);
        this.#calls += event.calls.length;
        return [this.#chunk(this.#delta({ content: '', tool_calls }), null)];
      }
      case 'done': {
        const delta = event.reason === 'load' ? this.#delta({ content: '' }) : {};
        const finish = this.#chunk(delta, this.#calls > 0 ? 'tool_calls' : event.reason);
        const usage = this.#object('chat.completion.chunk', [], wireUsage(event.statistics));
        return includeUsage ? [finish, usage] : [finish];
      }
    }
  }

  complete(answer: DialectAnswer): object {
    const message = {
      role: 'assistant',
      content: answer.content,
      reasoning: omitIfEmpty(answer.thinking),
      tool_calls: wireCalls(answer.toolCalls),
    };
    const finish_reason = answer.toolCalls.length > 0 ? 'tool_calls' : answer.done.reason;
    return this.#object(
      'chat.completion',
      [{ index: 0, message, finish_reason, logprobs: wireChoiceLogprobs(answer.logprobs) }],
      wireUsage(answer.done.statistics),
    );
  }

  rendered(text: string): object {
    const message = { role: '', content: '' };
    return {
      ...this.#object('chat.completion', [{ index: 0, message, finish_reason: null }], NO_USAGE),
      _debug_info: { rendered_template: text },
    };
  }
}
