import { UsageError } from '#shim/base/usage-error.ts';
import type { GenerateLine } from '../../client/api-types.ts';
import type { Command, CommandCall } from '../command.ts';
import { AnswerView } from './answer-view.ts';
import { converse } from './conversation.ts';
import { takeImages } from './images.ts';
import { type RunOptions, runOptions } from './options.ts';
import { canSee, isEmbedder, showOrPull } from './show-or-pull.ts';
import { statisticsText } from './statistics.ts';

/** `tabd run MODEL [PROMPT...]`: one answer, or a chat on a terminal without a prompt. */
export const run: Command = async (call) => {
  const { args, io, client } = call;
  const options = runOptions(args);
  const [model = '', ...words] = args.operands;
  const piped = io.input.isTTY ? '' : await readAll(call);
  const prompt = [piped, ...words].filter((part) => part !== '').join(' ');
  const insecure = args.options.insecure === true;
  const description = await showOrPull(client, model, io.err, { insecure });

  if (isEmbedder(description)) return embed(call, model, prompt, options);
  if (prompt !== '') return answerOnce(call, model, prompt, options, canSee(description));
  if (io.input.isTTY && io.out.isTTY) return converse(call, model, description, options);
  await client.post('/api/generate', { model, keep_alive: options.keepAlive });
};

async function answerOnce(
  { io, client }: CommandCall,
  model: string,
  prompt: string,
  options: RunOptions,
  sees: boolean,
): Promise<void> {
  const { text, images, paths } = sees ? await takeImages(prompt) : { text: prompt, images: [], paths: [] };
  for (const path of paths) io.err.write(`added image '${path}'\n`);
  const view = new AnswerView(io.out, options);
  let last: GenerateLine | undefined;
  const lines = client.stream<GenerateLine>('/api/generate', {
    model,
    prompt: text,
    ...(images.length > 0 && { images }),
    format: options.format,
    think: options.think,
    keep_alive: options.keepAlive,
  });
  try {
    for await (last of lines) view.show(last.thinking, last.response);
  } finally {
    view.end();
  }
  if (options.verbose && last) io.err.write(`\n${statisticsText(last)}`);
}

async function embed(
  { args, io, client }: CommandCall,
  model: string,
  input: string,
  options: RunOptions,
): Promise<void> {
  if (input === '') {
    throw new UsageError(`${model} turns texts into vectors: tabd run ${model} "your text here"`);
  }
  const dimensions = args.options.dimensions;
  if (dimensions !== undefined && !/^\d+$/.test(String(dimensions)))
    throw new UsageError(`--dimensions takes a number, not '${dimensions}'`);
  const { embeddings } = await client.post<{ embeddings: number[][] }>('/api/embed', {
    model,
    input,
    keep_alive: options.keepAlive,
    ...(dimensions !== undefined && { dimensions: Number(dimensions) }),
    ...(args.options.truncate !== undefined && { truncate: args.options.truncate !== 'false' }),
  });
  io.out.write(`${JSON.stringify(embeddings[0] ?? [])}\n`);
}

async function readAll({ io, client }: CommandCall): Promise<string> {
  const chunks: Uint8Array[] = [];
  const stop = () => io.input.destroy(client.signal.reason);
  client.signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of io.input) chunks.push(chunk as Uint8Array);
  } finally {
    client.signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks).toString('utf8');
}
