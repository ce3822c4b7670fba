/** Parses the JSON layers of models that other programs made. Ignores members of the wrong type. */
import * as v from 'valibot';
import type { Message } from '../../base/messages.ts';
import type { ModelOptions } from '../../base/model-options.ts';

const lenient = <T extends v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>>(schema: T) =>
  v.fallback(v.optional(schema), undefined);
const number = lenient(v.pipe(v.number(), v.finite()));
const integer = lenient(v.pipe(v.number(), v.finite(), v.transform(Math.trunc)));

const parameters = v.object({
  num_ctx: integer,
  num_batch: integer,
  num_gpu: integer,
  main_gpu: integer,
  use_mmap: lenient(v.boolean()),
  num_thread: integer,
  num_keep: integer,
  seed: integer,
  num_predict: integer,
  top_k: integer,
  top_p: number,
  min_p: number,
  typical_p: number,
  repeat_last_n: integer,
  temperature: number,
  repeat_penalty: number,
  presence_penalty: number,
  frequency_penalty: number,
  stop: lenient(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.transform((stop) => (typeof stop === 'string' ? [stop] : stop)),
    ),
  ),
});

const messages = v.array(
  v.object({ role: v.string(), content: v.optional(v.string(), ''), thinking: lenient(v.string()) }),
);

export interface SplitParameters {
  parameters: ModelOptions;
  /** Parameters with unknown names or with values of the wrong type. */
  otherParameters?: Record<string, unknown>;
}

/** @throws an error when the text is no JSON object */
export function parseParameters(text: string): SplitParameters {
  return splitParameters(JSON.parse(text));
}

/**
 * Separates the parameters that tabd uses from the others.
 * @throws an error when `all` is no object
 */
export function splitParameters(all: Record<string, unknown>): SplitParameters {
  const found = v.parse(parameters, all);
  const valid = Object.entries(found).filter(([, value]) => value !== undefined);
  const names = new Set(valid.map(([name]) => name));
  const others = Object.entries(all).filter(([name, value]) => !names.has(name) && value !== null);
  return {
    parameters: Object.fromEntries(valid),
    ...(others.length > 0 ? { otherParameters: Object.fromEntries(others) } : {}),
  };
}

/** @throws an error when the text is no JSON array of messages */
export function parseMessages(text: string): Message[] {
  return v.parse(messages, JSON.parse(text));
}
