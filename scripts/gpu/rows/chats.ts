/** Chats by node-llama-cpp: a GPU against the CPU, and the port against the bare engine. */
import { join } from 'node:path';
import { getLlama } from 'node-llama-cpp';
import { lineTimes } from '#bench/generation.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { ask, KIT, PORTS, PROGRAM, reportRow } from './kit.ts';

const MODEL = 'smollm2:135m';
const WEIGHTS = join(
  KIT,
  'home-chat/blobs/sha256-b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
);
const PROMPT = 'The quick brown fox jumps over the lazy dog. The quick brown fox';
const LONG_PROMPT = `${PROMPT} `.repeat(60);
const TOKENS = 256;
const ROUNDS = 5;
const port = `http://127.0.0.1:${PORTS['local-models']}`;

interface Answer {
  response: string;
  load_duration: number;
  prompt_eval_count: number;
  prompt_eval_duration: number;
  eval_count: number;
  eval_duration: number;
}

/** On the GPU that node-llama-cpp finds with its packages in the kit. */
export async function chats(): Promise<void> {
  const shim = await startShim(join(KIT, 'home-chat'), {
    program: PROGRAM,
    ports: PORTS,
    env: { OLLAMA_DEBUG: '1' },
  });
  try {
    const chat = await ask<{ message: { content: string } }>(`${port}/api/chat`, {
      model: MODEL,
      stream: false,
      messages: [{ role: 'user', content: 'Why is the sky blue?' }],
      options: { temperature: 0, num_predict: 64 },
    });
    const loaded = await ask<object>(`${port}/api/ps`);
    reportRow('chat', { answer: chat.message.content, loaded });
    const texts: string[] = [];
    for (const gpuLayers of [999, 0]) {
      const prompt = await generate(gpuLayers, LONG_PROMPT, 1);
      const answer = await generate(gpuLayers, PROMPT, TOKENS);
      texts.push(answer.response);
      const streamed: number[] = [];
      for (let round = 0; round < ROUNDS; round++)
        streamed.push(rate(await lineTimes(`${port}/api/generate`, body(gpuLayers, PROMPT, TOKENS))));
      reportRow(`port, num_gpu ${gpuLayers}`, {
        loadSeconds: prompt.load_duration / 1e9,
        promptTokens: prompt.prompt_eval_count,
        promptTokensPerSecond: perSecond(prompt.prompt_eval_count, prompt.prompt_eval_duration),
        tokensPerSecond: perSecond(answer.eval_count, answer.eval_duration),
        streamedTokensPerSecond: streamed,
      });
    }
    reportRow('greedy text', { equal: texts[0] === texts[1], texts });
    reportRow('log', {
      lines: shim
        .output()
        .split('\n')
        .filter((line) => /gpu|vulkan|cuda|loaded/i.test(line))
        .slice(0, 30),
    });
  } finally {
    await shim.stop();
  }
  for (const gpu of ['auto', false] as const) await bare(gpu);
}

const body = (gpuLayers: number, prompt: string, tokens: number) => ({
  model: MODEL,
  prompt,
  raw: true,
  options: { temperature: 0, seed: 1, num_predict: tokens, num_ctx: 2048, num_gpu: gpuLayers },
});

const generate = (gpuLayers: number, prompt: string, tokens: number) =>
  ask<Answer>(`${port}/api/generate`, { ...body(gpuLayers, prompt, tokens), stream: false });

const perSecond = (count: number, nanoseconds: number) => count / (nanoseconds / 1e9);

/** Tokens a second between the first token and the last. */
const rate = (times: number[]) => ((times.length - 1) / (times.at(-1)! - times[0]!)) * 1000;

/** The library alone, with the same prompt. */
async function bare(gpu: 'auto' | false): Promise<void> {
  const llama = await getLlama({ gpu, build: 'never', logLevel: 'error' as never });
  const model = await llama.loadModel({ modelPath: WEIGHTS, ...(gpu === false && { gpuLayers: 0 }) });
  const context = await model.createContext({ contextSize: 2048, batchSize: 512 });
  const sequence = context.getSequence();
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await sequence.clearHistory();
    const times: number[] = [];
    for await (const token of sequence.evaluate(model.tokenize(PROMPT), { temperature: 0 })) {
      model.detokenize([token]);
      times.push(performance.now());
      if (times.length === TOKENS) break;
    }
    rates.push(rate(times));
  }
  const names = await llama.getGpuDeviceNames();
  reportRow(`bare engine, ${llama.gpu || 'cpu'}`, {
    names,
    gpuLayers: model.gpuLayers,
    tokensPerSecond: rates.slice(1),
  });
  await context.dispose();
  await model.dispose();
  await llama.dispose();
}
