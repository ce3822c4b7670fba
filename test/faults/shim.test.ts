/** Faults of the shim during its work: real process, real ports, real weights. */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Hub, startHub } from '../support/local-models/hub.ts';
import { streamedLines } from '../support/local-models/streamed-lines.ts';
import { rewriteGguf } from '../support/model-files/rewrite-gguf.ts';
import { tinyGguf } from '../support/model-files/tiny-gguf.ts';
import { smollm2 } from '../support/model-files/weights.ts';
import { childProcesses } from '../support/processes/child-processes.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

const model = 'smollm2:135m';
const france = { role: 'user', content: 'What is the capital of France?' };
const story = { role: 'user', content: 'Write a very long story about a dragon.' };
const greedy = { temperature: 0, num_predict: 16 };
const PARIS = 'The capital of France is Paris.';
const STOPPED = expect.stringContaining('model runner has unexpectedly stopped');
const large = tinyGguf({ tensors: [{ name: 'token_embd.weight', shape: [256, 4000], type: 'F32' }] });

interface Line {
  status?: string;
  completed?: number;
  message?: { content: string };
  done?: boolean;
  error?: string;
  prompt_eval_duration?: number;
}

let home: string;
let shim: RunningShim;
let hub: Hub;

beforeAll(async () => {
  hub = await startHub({
    'user/one': { files: { 'one.Q4_1.gguf': large } },
    'user/two': { files: { 'two.Q4_1.gguf': tinyGguf({ contextLength: 512 }) } },
    'user/strange': { files: { 'strange.Q4_1.gguf': tinyGguf({ architecture: 'zzzzz' }) } },
    'user/hollow': { files: { 'hollow.Q4_1.gguf': tinyGguf() } },
  });
  home = await makeHome([{ name: model, path: await smollm2() }]);
  shim = await startShim(home, { env: { HF_ENDPOINT: hub.endpoint } });
});
afterAll(async () => {
  await shim?.stop();
  await hub?.close();
  if (home) await removeHome(home);
});

const post = (path: string, body: object) =>
  fetch(`http://127.0.0.1:${shim.ports['local-models']}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
const chat = (body: object) => post('/api/chat', { model, options: greedy, ...body });
const ask = async (messages: object[], options: object = greedy) =>
  (await (await chat({ messages, options, stream: false })).json()) as Line;
const running = async () => {
  const response = await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/ps`);
  return ((await response.json()) as { models: { name: string; expires_at: string }[] }).models;
};
const engines = () => childProcesses(shim.process.pid!, 'engine-process');
const pull = async (name: string) => {
  const lines: Line[] = [];
  for await (const line of streamedLines<Line>(await post('/api/pull', { model: name }))) lines.push(line);
  return lines;
};

test('after the engine is killed in mid-stream, the stream ends with an error, and the next request succeeds', async () => {
  const response = await chat({ messages: [story], options: { num_predict: 2000, temperature: 0 } });
  const lines: Line[] = [];
  for await (const line of streamedLines<Line>(response)) {
    if (lines.push(line) === 3) for (const pid of engines()) process.kill(pid, 'SIGKILL');
  }
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.at(-1)).toEqual({ error: STOPPED });
  expect((await ask([france])).message?.content).toBe(PARIS);
});

test('an engine killed during an answer that is not streamed: 500', async () => {
  const answer = chat({ messages: [story], options: { num_predict: 2000, temperature: 0 }, stream: false });
  await expect.poll(engines).toHaveLength(1);
  await expect.poll(running).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const pid of engines()) process.kill(pid, 'SIGKILL');
  const response = await answer;
  expect([response.status, await response.json()]).toEqual([500, { error: STOPPED }]);
});

test('an engine killed between requests is noticed, and the next request is answered', async () => {
  await ask([france]);
  for (const pid of engines()) process.kill(pid, 'SIGKILL');
  await expect.poll(running).toEqual([]);
  expect((await ask([france])).message?.content).toBe(PARIS);
});

test('two pulls and two chats run concurrently', async () => {
  hub.faults.slow = { delay: 5, piece: 100_000 };
  const [firstPull, secondPull, first, second] = await Promise.all([
    pull('hf.co/user/one'),
    pull('hf.co/user/two'),
    ask([france]),
    ask([france]),
  ]);
  delete hub.faults.slow;
  for (const lines of [firstPull, secondPull]) expect(lines.at(-1)).toEqual({ status: 'success' });
  for (const answer of [first, second]) expect(answer.message?.content).toBe(PARIS);
});

test('only the new part of a continued conversation is evaluated', async () => {
  const words = Array.from({ length: 100 }, (_, at) => `fact ${at}`).join(', ');
  const messages = [{ role: 'user', content: `Remember: ${words}. Say OK.` }];
  const options = { temperature: 0, num_predict: 8 };
  const cold = await ask(messages, options);
  const warm = await ask([...messages, { role: 'assistant', ...cold.message }, france], options);
  expect(warm.prompt_eval_duration).toBeLessThan(0.5 * cold.prompt_eval_duration!);
});

test('models that cannot run are reported by name and reason, and a good model still answers', async () => {
  for (const name of ['strange', 'hollow']) await pull(`hf.co/user/${name}`);
  const refusal = async (body: object) => {
    const response = await chat({ messages: [france], stream: false, ...body });
    return [response.status, ((await response.json()) as Line).error];
  };
  expect(await refusal({ model: 'hf.co/user/strange' })).toEqual([
    500,
    expect.stringMatching(
      /^unable to load model "hf.co\/user\/strange:latest": .*zzzzz.*; try another model$/,
    ),
  ]);
  expect(await refusal({ model: 'hf.co/user/hollow' })).toEqual([
    500,
    expect.stringMatching(/^unable to load model "hf.co\/user\/hollow:latest": its file is damaged/),
  ]);
  expect((await ask([france])).message?.content).toBe(PARIS);
});

test('the command line installs a file while the server runs, and reports a context that is too large', async () => {
  const wide = join(home, 'wide.gguf');
  await rewriteGguf(await smollm2(), wide, {
    'llama.context_length': { type: 'uint32', value: 100_000_000 },
  });
  const cli = fileURLToPath(new URL('../../node-shim/dist/cli.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    cli,
    'import',
    wide,
    'wide',
    '--home',
    home,
  ]);
  expect(stdout).toContain('success');
  await rm(wide);
  const response = await chat({
    model: 'wide',
    messages: [france],
    options: { num_ctx: 50_000_000 },
    stream: false,
  });
  // The body contains the error even when the head was sent before.
  expect(((await response.json()) as Line).error).toMatch(
    /^model "wide:latest" requires more memory than is available .*use a smaller num_ctx/,
  );
  const rubbish = join(home, 'rubbish.gguf');
  await writeFile(rubbish, 'rubbish');
  const refused = promisify(execFile)(process.execPath, [cli, 'import', rubbish, '--home', home]);
  await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('GGUF') });
});

test('a killed shim continues: pulls at their byte, and pinned models', async () => {
  await ask([france]);
  await (await chat({ messages: [], keep_alive: -1 })).text();
  await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/delete`, {
    method: 'DELETE',
    body: JSON.stringify({ model: 'hf.co/user/one' }),
  });
  hub.faults.slow = { delay: 10, piece: 40_000 };
  const response = await post('/api/pull', { model: 'hf.co/user/one' });
  await expect(async () => {
    for await (const { completed = 0 } of streamedLines<Line>(response)) {
      if (completed > 0.4 * large.length) shim.process.kill('SIGKILL');
    }
  }).rejects.toThrow();
  delete hub.faults.slow;
  hub.requests.length = 0;

  shim = await startShim(home, { env: { HF_ENDPOINT: hub.endpoint } });
  await expect.poll(running, { timeout: 30_000 }).toMatchObject([{ name: model }]);
  expect(Number.parseInt((await running())[0]!.expires_at, 10)).toBeGreaterThan(2200);
  expect((await pull('hf.co/user/one')).at(-1)).toEqual({ status: 'success' });
  const ranges = hub.requests.filter(({ server }) => server === 'cdn').map(({ headers }) => headers.range);
  expect(ranges).toHaveLength(1);
  // Data that arrived after the last complete write of 1 MiB are fetched again.
  expect(Number(/^bytes=(\d+)-$/.exec(ranges[0]!)?.[1])).toBeGreaterThan(0.2 * large.length);
});

test('a shim that is asked to end completes its answer, and continues waiting work at its next start', async () => {
  const images = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${shim.ports['image-workflows']}${path}`, init);
  const count = 8;
  const response = await chat({ messages: [story], options: { num_predict: 60 } });
  for (let color = 1; color <= count; color++) {
    const prompt = {
      1: { class_type: 'EmptyImage', inputs: { width: 1024, height: 1024, batch_size: 1, color } },
      2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'waited' } },
    };
    expect((await images('/prompt', { method: 'POST', body: JSON.stringify({ prompt }) })).status).toBe(200);
  }
  const queue = (await (await images('/prompt')).json()) as { exec_info: { queue_remaining: number } };
  expect(queue.exec_info.queue_remaining).toBeGreaterThan(0);
  const stopped = shim.stop();
  const lines: Line[] = [];
  for await (const line of streamedLines<Line>(response)) lines.push(line);
  expect(lines.at(-1)).toMatchObject({ done: true });
  await stopped;
  expect(shim.process.exitCode).toBe(0);

  shim = await startShim(home, { env: { HF_ENDPOINT: hub.endpoint } });
  const createdFiles = async () => {
    const history = (await (await images('/history')).json()) as Record<
      string,
      { status: { status_str: string } }
    >;
    return Object.values(history).filter(({ status }) => status.status_str === 'success').length;
  };
  await expect.poll(createdFiles, { timeout: 60_000 }).toBe(count);
});
