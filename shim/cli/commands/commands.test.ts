import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyPart } from '#test/support/model-files/split-gguf.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { type TestServer, testServer } from '#test/support/processes/cli-testing.ts';

let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await testServer();
  folder = await mkdtemp(join(tmpdir(), 'tabd-modelfile-'));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    (error: Error) => error.message,
  );

describe('list', () => {
  it('shows the models of /api/tags with the prefix', async () => {
    const { out } = await server.run(['list']);
    expect(out).toMatch(/^NAME +ID +SIZE +MODIFIED\nsmollm2:135m +[0-9a-f]{12} +[\d.]+ k?B +\d+ \w+ ago\n$/);
    expect((await server.run(['list', 'smol'])).out).toContain('smollm2');
    expect((await server.run(['list', 'qwen'])).out).not.toContain('smollm2');
  });
});

describe('show', () => {
  it('describes a model', async () => {
    const { out } = await server.run(['show', 'smollm2:135m']);
    expect(out).toMatch(/^ {2}Model\n {4}architecture +llama\n/);
    expect(out).toMatch(/ {2}Capabilities\n {4}completion\n/);
    expect(out).not.toContain('Tensors');
  });

  it('shows metadata and tensors with --verbose', async () => {
    const { out } = await server.run(['show', '-v', 'smollm2:135m']);
    expect(out).toMatch(/ {4}general\.architecture +llama\n/);
    expect(out).toMatch(/ {4}token_embd\.weight +Q4_1 +32 x 8\n/);
  });

  it('prints one part unchanged', async () => {
    const { out } = await server.run(['show', '--modelfile', 'smollm2:135m']);
    expect(out).toMatch(/^# Modelfile generated/);
    expect((await server.run(['show', '--template', 'smollm2:135m'])).out).toContain('<|im_start|>');
    expect((await server.run(['show', '--license', 'smollm2:135m'])).out).toBe('\n');
    expect(await failure(server.run(['show', '--license', '--system', 'smollm2:135m']))).toContain(
      'only one of',
    );
  });

  it("fails with the server's message", async () => {
    expect(await failure(server.run(['show', 'nope']))).toBe("model 'nope:latest' not found");
  });
});

describe('ps and stop', () => {
  it('show the loaded models and unload one', async () => {
    await server.run(['run', 'smollm2:135m', '--keepalive', '-1'], { stdin: '' });
    expect((await server.run(['ps'])).out).toMatch(
      /\nsmollm2:135m +[0-9a-f]{12} .* 100% CPU +\d+ +forever\n$/,
    );
    await server.run(['stop', 'smollm2:135m']);
    expect((await server.run(['ps'])).out).not.toContain('smollm2');
    expect(await failure(server.run(['stop', 'nope']))).toContain("'nope' not found");
  });
});

describe('import', () => {
  const part = (number: number, name = 'Tiny.Q8_0') => join(folder, `${name}-0000${number}-of-00002.gguf`);

  it('takes all parts of a file that was split, whichever is named', async () => {
    for (const number of [1, 2]) await writeFile(part(number), tinyPart(number - 1, 2));
    await server.run(['import', part(2)]);
    expect((await server.run(['list'])).out).toContain('Tiny:Q8_0');
  });

  it('names a part that is missing', async () => {
    await writeFile(part(1, 'lone'), tinyPart(0, 2));
    expect(await failure(server.run(['import', part(1, 'lone'), 'x']))).toMatch(
      /lone-00002-of-00002\.gguf is missing: it is part 2 of 2 of lone\.gguf$/,
    );
  });
});

describe('rm', () => {
  it('removes models in order and stops at a missing one', async () => {
    const file = join(folder, 'gone.gguf');
    await writeFile(file, tinyGguf());
    await server.run(['import', file, 'gone']);
    const { out, done } = server.begin(['rm', 'gone', 'never', 'smollm2:135m']);
    expect(await failure(done)).toBe("model 'never' not found");
    expect(out.text).toBe('removed gone\n');
    expect((await server.run(['list'])).out).toContain('smollm2:135m');
  });
});

describe('create', () => {
  const modelfile = async (text: string) => {
    const path = join(folder, 'Modelfile');
    await writeFile(path, text);
    return path;
  };

  it('reports errors in a Modelfile and ignored instructions', async () => {
    const bad = await modelfile('FROM smollm2:135m\nPROMPT x');
    expect(await failure(server.run(['create', 'm', '-f', bad]))).toMatch(
      /^\(line 2\): command must be one of/,
    );
    const before = server.requests.length;
    const missing = await modelfile('FROM ./none.gguf');
    expect(await failure(server.run(['create', 'm', '-f', missing]))).toMatch(
      /there is no file .*none\.gguf/,
    );
    const adapter = await modelfile('FROM smollm2:135m\nADAPTER lora');
    expect(await failure(server.run(['create', 'm', '-f', adapter]))).toMatch(/lora is not a file/);
    expect(await failure(server.run(['create', 'm', '-f', join(folder, 'none')]))).toMatch(/no Modelfile at/);
    expect(server.requests.length).toBe(before);
  });

  it('sends the fields of the Modelfile', async () => {
    const path = await modelfile('FROM smollm2:135m\nSYSTEM Arr\nPARAMETER mirostat 1\nPARAMETER top_k 3');
    const { out, err } = await server.run(['create', 'pirate', '-f', path]);
    expect(err).toContain('warning: parameter mirostat is deprecated');
    expect(out).toMatch(/writing manifest\nsuccess\n$/);
    expect(server.requests.at(-1)).toEqual({
      method: 'POST',
      path: '/api/create',
      body: { model: 'pirate', from: 'smollm2:135m', system: 'Arr', parameters: { top_k: 3 } },
    });
    expect((await server.run(['show', '--system', 'pirate'])).out).toBe('Arr\n');
    expect((await server.run(['show', '--parameters', 'pirate'])).out).toContain('top_k');
    await server.run(['cp', 'pirate', 'captain']);
    expect((await server.run(['list', 'captain'])).out).toContain('captain:latest');
    expect(await failure(server.run(['cp', 'nope', 'x']))).toBe('model "nope" not found');
  });

  it('reads a Modelfile from standard input', async () => {
    await server.run(['create', 'm', '-f', '-'], { stdin: 'FROM smollm2:135m\n' });
    expect(server.requests.at(-1)?.body).toMatchObject({ model: 'm', from: 'smollm2:135m' });
  });

  it('checks by digest whether the server has each file', async () => {
    const weights = tinyGguf({ contextLength: 77 });
    await writeFile(join(folder, 'weights.gguf'), weights);
    const digest = `sha256:${createHash('sha256').update(weights).digest('hex')}`;
    const path = await modelfile('FROM ./weights.gguf');
    const sent = () => server.requests.filter((request) => request.path === `/api/blobs/${digest}`);
    for (const [name, methods] of [
      ['own', ['HEAD', 'POST']],
      ['again', ['HEAD', 'POST', 'HEAD']],
    ] as const) {
      expect((await server.run(['create', name, '-f', path])).out).toMatch(/success\n$/);
      expect(sent().map(({ method }) => method)).toEqual(methods);
    }
    expect(server.requests.at(-1)?.body).toEqual({ model: 'again', files: { 'weights.gguf': digest } });
    expect((await server.run(['list', 'own'])).out).toContain('own:latest');
  });
});
