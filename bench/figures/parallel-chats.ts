/**
 * Total tokens a second of four simultaneous chats of one model on the CPU, compared with the same chats in
 * sequence. Every answer must be the same both ways.
 */
import { makeStateHome } from '#test/contract/transports/states.ts';
import { removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import type { Figure } from '../figure.ts';
import { MODEL, THREADS } from '../generation.ts';
import { interleaved, median, pairedRatio } from '../statistics.ts';

const PAIRS = 5;
const TOKENS = 96;
const CHATS = ['a lighthouse', 'a clockmaker', 'the sea', 'a train'];

export default async function* parallelChats(): AsyncIterable<Figure> {
  const home = await makeStateHome('ready');
  const shim = await startShim(home, { env: { OLLAMA_NUM_PARALLEL: String(CHATS.length) } });
  const url = `http://127.0.0.1:${shim.ports['local-models']}/api/chat`;
  const texts = new Map<string, string>();
  const chat = async (subject: string): Promise<number> => {
    const { text, tokens } = await ask(url, subject);
    if ((texts.get(subject) ?? text) !== text) throw new Error(`two answers about ${subject} differ`);
    texts.set(subject, text);
    return tokens;
  };
  const speed = async (work: () => Promise<number[]>) => {
    const started = performance.now();
    const tokens = await work();
    return (tokens.reduce((sum, count) => sum + count, 0) / (performance.now() - started)) * 1000;
  };
  const inSequence = () =>
    speed(async () => {
      const tokens: number[] = [];
      for (const subject of CHATS) tokens.push(await chat(subject));
      return tokens;
    });
  const atOnce = () => speed(() => Promise.all(CHATS.map(chat)));
  try {
    await inSequence();
    await atOnce();
    const measured = await interleaved(PAIRS, atOnce, inSequence);
    yield { name: 'node: tokens/s of 4 chats in sequence', value: median(measured.b) };
    yield { name: 'node: tokens/s of 4 chats at once', value: median(measured.a) };
    yield {
      name: 'node: 4 chats at once against in sequence',
      value: pairedRatio(measured.a, measured.b),
      aim: '>= 1.3',
    };
  } finally {
    await shim.stop();
    await removeHome(home);
  }
}

async function ask(url: string, subject: string): Promise<{ text: string; tokens: number }> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({
      model: MODEL,
      stream: false,
      messages: [{ role: 'user', content: `Write a long story about ${subject}.` }],
      options: { temperature: 0.8, seed: 3, num_predict: TOKENS, num_ctx: 1024, num_thread: THREADS },
    }),
  });
  const answer = (await response.json()) as {
    error?: string;
    message: { content: string };
    eval_count: number;
  };
  if (!response.ok) throw new Error(answer.error);
  return { text: answer.message.content, tokens: answer.eval_count };
}
