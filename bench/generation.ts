/** The request that all speeds are measured with, and the speed of its response. */
export const MODEL = 'smollm2:135m';
export const THREADS = 2;
export const CONTEXT = 2048;
export const TOKENS = 128;
/**
 * Requests use greedy sampling and no template, so that every run gives the same answer. The prompt never ends before
 * the limit.
 */
export const PROMPT = 'The quick brown fox jumps over the lazy dog. The quick brown fox';

export const generateBody = (stream = true) => ({
  model: MODEL,
  prompt: PROMPT,
  raw: true,
  stream,
  options: { temperature: 0, seed: 1, num_predict: TOKENS, num_ctx: CONTEXT, num_thread: THREADS },
});

/** Tokens a second between the first token and the last, so that reading the prompt does not count. */
export function speed(times: number[]): number {
  if (times.length < TOKENS * 0.9) throw new Error(`only ${times.length} of ${TOKENS} tokens came`);
  return ((times.length - 1) / (times.at(-1)! - times[0]!)) * 1000;
}

/** Arrival times of all lines with text, in milliseconds. */
export async function lineTimes(url: string, body: unknown): Promise<number[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const times: number[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body!) {
    const now = performance.now();
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (!line.includes('"done":true')) times.push(now);
  }
  return times;
}
