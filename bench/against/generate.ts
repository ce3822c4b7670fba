/** Answers of Ollama's API to prompts of a given length, and their speed as a client sees it. */
import { cpus } from 'node:os';
import { ask, readPieces, type Side, SideError } from '../sides/side.ts';

/** Tokens of an answer. */
const ANSWER = 64;
/** An answer that ends before this many tokens is asked again. */
const FEWEST = 32;
const TRIES = 5;
/** Tokens of the context: the longest prompt with its answer. */
const CONTEXT = 4096;

export interface Speeds {
  /** Tokens of the prompt that the server counted. */
  promptTokens: number;
  /** Prompt tokens a second, until the first token of the answer. */
  prompt: number;
  /** Tokens of the answer a second, from the first to the last. */
  answer: number;
}

/**
 * Words that are one token each in SmolLM2's vocabulary, so that a prompt of n words has about n tokens. They begin
 * with other words each time, so that no side finds the prompt in a cache.
 */
const WORDS = (
  'the house river stone light water small green old road day night tree bird sun moon sea wind fire hand ' +
  'eye book door street city field horse ship king queen child man woman friend song story dream winter summer'
).split(' ');

/** A prompt of about `length` tokens. Equal seeds give equal prompts. */
export function promptOf(length: number, seed: number): string {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ');
}

/** Asks for an answer. @throws SideError */
export async function generate(side: Side, model: string, length: number, seed: number): Promise<Speeds> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { times, tokens, promptTokens } = await stream(side, model, promptOf(length, seed + attempt), seed);
    if (tokens < FEWEST) continue;
    const [started, first, done] = times;
    return {
      promptTokens,
      prompt: (promptTokens * 1000) / (first - started),
      answer: ((tokens - 1) * 1000) / (done - first),
    };
  }
  throw new SideError(side, `${TRIES} answers of ${model} ended before ${FEWEST} tokens`);
}

/** Tokens a second of several answers at once. @throws SideError */
export async function generateTogether(
  side: Side,
  model: string,
  count: number,
  seed: number,
): Promise<number> {
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      stream(side, model, promptOf(30, seed + index), seed + index),
    ),
  );
  const tokens = answers.reduce((sum, answer) => sum + answer.tokens, 0);
  return (tokens * 1000) / (performance.now() - started);
}

interface Line {
  response?: string;
  done?: boolean;
  error?: string;
  eval_count?: number;
  prompt_eval_count?: number;
}

async function stream(side: Side, model: string, prompt: string, seed: number) {
  const path = '/api/generate';
  const started = performance.now();
  const options = {
    temperature: 0.8,
    seed,
    num_predict: ANSWER,
    num_ctx: CONTEXT,
    num_thread: cpus().length,
  };
  const response = await ask(side, path, { json: { model, prompt, raw: true, options } });
  let first: number | undefined;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of readPieces(side, path, response)) {
    const now = performance.now();
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const text of lines) {
      const line = JSON.parse(text) as Line;
      if (line.error) throw new SideError(side, `${path} answered: ${line.error}`);
      if (line.response) first ??= now;
      if (!line.done) continue;
      const times = [started, first ?? now, now] as const;
      return { times, tokens: line.eval_count ?? 0, promptTokens: line.prompt_eval_count ?? 0 };
    }
  }
  throw new SideError(side, `the answer to ${path} ended without its last line`);
}
