/** What others wrote into a manifest's or a repository's JSON layers: taken as far as it has the right form. */
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

export interface ReadParameters {
  parameters: ModelOptions;
  /** Unknown names, and values of a wrong type. */
  otherParameters?: Record<string, unknown>;
}

/** Throws when it is no JSON object. */
export function readParameters(text: string): ReadParameters {
  return sortParameters(JSON.parse(text));
}

/** Tells the parameters that are used from the others. Throws for what is no object. */
export function sortParameters(all: Record<string, unknown>): ReadParameters {
  const found = v.parse(parameters, all);
  const known = Object.entries(found).filter(([, value]) => value !== undefined);
  const names = new Set(known.map(([name]) => name));
  const others = Object.entries(all).filter(([name, value]) => !names.has(name) && value !== null);
  return {
    parameters: Object.fromEntries(known),
    ...(others.length > 0 ? { otherParameters: Object.fromEntries(others) } : {}),
  };
}

/** Throws when it is no JSON array of messages. */
export function readMessages(text: string): Message[] {
  return v.parse(messages, JSON.parse(text));
}
