import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '#test/support/processes/cli-testing.ts';
import { takeImages } from './images.ts';
import { statisticsText } from './statistics.ts';
import { WordWrap } from './word-wrap.ts';

let server: TestServer;
afterEach(() => server?.close());

/** The last message of the user. */
const lastQuestion = (prompt: string) =>
  prompt.slice(prompt.lastIndexOf('user\n') + 5).split('<|im_end|>')[0]!;
const echo = (prompt: string) => `You said ${lastQuestion(prompt)}!`;
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    (error: Error) => error.message,
  );

describe('tabd run', () => {
  it('answers a prompt of the command line and standard input together', async () => {
    server = await testServer({ script: echo });
    expect((await server.run(['run', 'smollm2:135m', 'why', 'blue?'])).out).toBe('You said why blue?!\n');
    const { out, err } = await server.run(['run', 'smollm2:135m', 'Sum', 'up:'], { stdin: 'a report' });
    expect(out).toBe('You said a report Sum up:!\n');
    expect(err).toBe('');
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/show',
      '/api/generate',
      '/api/show',
      '/api/generate',
    ]);
  });

  it('sends the options of the command line', async () => {
    server = await testServer();
    await server.run(['run', 'smollm2:135m', 'x', '--format', 'json', '--keepalive', '90', '--think=false']);
    expect(server.requests.at(-1)?.body).toMatchObject({ format: 'json', keep_alive: 90, think: false });
    const schema = '{"type":"object"}';
    await server.run(['run', 'smollm2:135m', 'x', '--format', schema, '--keepalive', '1h30m']);
    expect(server.requests.at(-1)?.body).toMatchObject({ format: { type: 'object' }, keep_alive: '1h30m' });
    expect(await failure(server.run(['run', 'smollm2:135m', 'x', '--format', 'yaml']))).toContain('--format');
    expect(await failure(server.run(['run', 'smollm2:135m', 'x', '--think=very']))).toContain("not 'very'");
    expect(await failure(server.run(['run', 'smollm2:135m', 'x', '--think']))).toBe(
      '"smollm2:135m" does not support thinking',
    );
  });

  it('prints its statistics on standard error', async () => {
    server = await testServer();
    const { out, err } = await server.run(['run', '--verbose', 'smollm2:135m', 'x']);
    expect(out).not.toContain('eval');
    expect(err).toMatch(/\neval count: +\d+ token\(s\)\n/);
  });

  it('loads the model without a prompt', async () => {
    server = await testServer();
    expect((await server.run(['run', 'smollm2:135m'], { stdin: '' })).out).toBe('');
    expect((await server.run(['ps'])).out).toContain('smollm2:135m');
  });

  it('pulls a missing model', async () => {
    server = await testServer();
    const { out, err, done } = server.begin(['run', 'qwen3:0.6b', 'x']);
    expect(await failure(done)).not.toBe('');
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/show', '/api/pull']);
    expect(err.text).toContain('pulling manifest');
    expect(out.text).toBe('');
  });

  it('stops the generation when it is interrupted', async () => {
    server = await testServer({ tokenDelay: 20, script: () => 'on and '.repeat(100) });
    const stop = new AbortController();
    const { out, done } = server.begin(['run', 'smollm2:135m', 'x'], { signal: stop.signal });
    await expect.poll(() => out.text).toContain('on and');
    stop.abort();
    expect(await failure(done)).not.toBe('');
    await expect.poll(() => server.engine.calls.at(-1)?.outcome).toMatch(/aborted|returned/);
  });
});

describe('a chat', () => {
  /** Plays a user at a terminal, who types and waits for output. */
  async function startTerminal(argv: string[], scripted = {}, env: NodeJS.ProcessEnv = {}) {
    server = await testServer({ script: echo, ...scripted });
    const stdin = new PassThrough();
    const { out, done } = server.begin(argv, { stdin, tty: true, env });
    let seen = 0;
    return {
      out,
      done,
      type: (text: string) => stdin.write(text),
      /** Waits for `text` after the output that was seen last. */
      async sees(text: string) {
        await expect.poll(() => out.plain.slice(seen), { timeout: 5000 }).toContain(text);
        seen = out.plain.indexOf(text, seen) + text.length;
      },
    };
  }

  it('continues with the earlier messages', async () => {
    const { type, sees, done } = await startTerminal(['run', 'smollm2:135m']);
    await sees('>>> ');
    type('hello\r');
    await sees('You said hello!');
    await sees('>>> ');
    type('again\r');
    await sees('You said again!');
    expect(server.requests.at(-1)).toMatchObject({
      path: '/api/chat',
      body: {
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: 'You said hello!' },
          { role: 'user', content: 'again' },
        ],
      },
    });
    await sees('>>> ');
    type('/clear\r');
    await sees('Cleared session context');
    await sees('>>> ');
    type('/bye\r');
    await done;
  });

  it('accepts several lines, typed or pasted', async () => {
    const { type, sees, done } = await startTerminal(['run', 'smollm2:135m']);
    await sees('>>> ');
    type('"""one\r');
    await sees('... ');
    type('two"""\r');
    await sees('You said one\ntwo!');
    await sees('>>> ');
    type('\x1b[200~three\rfour\x1b[201~\r');
    await sees('You said three\nfour!');
    await sees('>>> ');
    type('\x04');
    await done;
  });

  it('is changed by /set and described by /show', async () => {
    const { type, sees, done } = await startTerminal(['run', 'smollm2:135m']);
    await sees('>>> ');
    const steps: [string, string][] = [
      ['/set parameter temperature 0.5', "Set parameter 'temperature' to '0.5'"],
      ['/set parameter heat 1', "error: unknown parameter 'heat'"],
      ['/set parameter stop a b', "Set parameter 'stop' to 'a, b'"],
      ['/set system You are a pirate', 'Set system message.'],
      ['/set format json', "Set format to 'json' mode."],
      ['/set format', 'error: --format takes json'],
      ['/set verbose', "Set 'verbose' mode."],
      ['/set nonsense', "Unknown command '/set nonsense'"],
      ['/show parameters', 'temperature  0.5'],
      ['/show system', 'You are a pirate'],
      ['/show info', 'architecture'],
      ['/show license', 'No license was specified'],
      ['/load nope', "error: model 'nope:latest' not found"],
      ['/list', 'smollm2:135m'],
      ['/? shortcuts', 'stop the answer'],
      ['/?', 'forget all messages'],
      ['/fly', "Unknown command '/fly'. Type /? for help"],
    ];
    for (const [line, answer] of steps) {
      type(`${line}\r`);
      await sees(answer);
      await sees('>>> ');
    }
    type('hi\r');
    await sees('eval rate:');
    await sees('>>> ');
    expect(server.requests.at(-1)?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'You are a pirate' },
        { role: 'user', content: 'hi' },
      ],
      options: { temperature: 0.5, stop: ['a', 'b'] },
      format: 'json',
    });
    type('/save pirate\r');
    await sees("Created new model 'pirate'");
    await sees('>>> ');
    expect(server.requests.at(-1)?.body).toMatchObject({
      model: 'pirate',
      from: 'smollm2:135m',
      system: 'You are a pirate',
      messages: [{ role: 'user', content: 'hi' }, { role: 'assistant' }],
    });
    type('/load pirate\r');
    await sees("Loading model 'pirate'");
    await sees('>>> ');
    type('/show parameters\r');
    await sees('temperature                    0.5');
    await sees('>>> ');
    type('/set system """two\r');
    await sees('... ');
    type('lines"""\r');
    await sees('Set system message.');
    await sees('>>> ');
    type('/show system\r');
    await sees('two\nlines');
    await sees('>>> ');
    type('/bye\r');
    await done;
  });

  it('stops an answer with Ctrl+C and continues', async () => {
    const script = (prompt: string) => (lastQuestion(prompt) === 'long' ? 'on and '.repeat(200) : 'Short.');
    const { type, sees, done } = await startTerminal(['run', 'smollm2:135m'], { script, tokenDelay: 10 });
    await sees('>>> ');
    type('long\r');
    await sees('on and');
    type('typed ahead\x03');
    await sees('>>> ');
    await expect.poll(() => server.engine.calls.at(-1)?.outcome).toMatch(/aborted|returned/);
    type('\x03');
    await sees('Use Ctrl + d or /bye to exit.');
    await sees('>>> ');
    type('next\r');
    await sees('Short.');
    await sees('>>> ');
    type('\x04');
    await done;
  });

  it('stores its history in a file', async () => {
    const { type, sees, done } = await startTerminal(['run', 'smollm2:135m']);
    await sees('>>> ');
    type('remember me\r');
    await sees('You said remember me!');
    await sees('>>> ');
    type('\x1b[A\r');
    await sees('You said remember me!');
    await sees('>>> ');
    type('/set nohistory\r');
    await sees("Set 'nohistory' mode.");
    await sees('>>> ');
    type('not me\r');
    await sees('You said not me!');
    await sees('>>> ');
    type('/set history\r');
    await sees("Set 'history' mode.");
    await sees('>>> ');
    type('/bye\r');
    await done;
    const file = join(server.home, 'history');
    expect(await readFile(file, 'utf8')).toBe('remember me\nremember me\n/set history\n');
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it('stores no history with OLLAMA_NOHISTORY', async () => {
    const { type, sees, done } = await startTerminal(['run', 'smollm2:135m'], {}, { OLLAMA_NOHISTORY: '1' });
    await sees('>>> ');
    type('forget me\r');
    await sees('You said');
    await sees('>>> ');
    type('/bye\r');
    await done;
    await expect(access(join(server.home, 'history'))).rejects.toThrow();
  });

  it('ends with an error when the model cannot be loaded', async () => {
    const { done } = await startTerminal(['run', 'smollm2:135m'], {
      loadFailure: () => new Error('no such luck'),
    });
    expect(await failure(done)).toContain('no such luck');
  });
});

describe('images in a prompt', () => {
  it('are extracted if the files exist', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tabd images '));
    const path = join(folder, 'a.PNG');
    await writeFile(path, 'pixels');
    const data = Buffer.from('pixels').toString('base64');
    const escaped = path.replaceAll(' ', '\\ ');
    for (const prompt of [`What is "${path}"?`, `What is ${escaped} ?`]) {
      const { text, images, paths } = await takeImages(prompt);
      expect(images).toEqual([data]);
      expect(paths).toHaveLength(1);
      expect(text).toBe('What is ?');
    }
    const none = 'See /no/such/file.png and http://host/x.jpg, /etc/hosts';
    expect(await takeImages(none)).toEqual({ text: none, images: [], paths: [] });
    await rm(folder, { recursive: true });
  });
});

describe('WordWrap', () => {
  const screen = (columns: number, ...pieces: string[]) => {
    const wrap = new WordWrap(() => columns);
    return pieces.map((piece) => wrap.write(piece)).join('');
  };

  it('moves a word that does not fit to the next line', () => {
    expect(screen(20, 'twelve chars and mor', 'e')).toBe('twelve chars and mo\x1b[2D\x1b[K\nmore');
    expect(screen(20, 'short\nlines')).toBe('short\nlines');
  });

  it('breaks words longer than a line, and scripts without spaces anywhere', () => {
    expect(screen(21, 'x'.repeat(25))).toBe(`${'x'.repeat(20)}\n${'x'.repeat(5)}`);
    expect(screen(21, '大'.repeat(12))).toBe(`${'大'.repeat(10)}\n大大`);
  });

  it('does not wrap in narrow windows and pipes', () => {
    expect(screen(10, 'a long line of words')).toBe('a long line of words');
  });
});

it('unknown statistics are left out', () => {
  expect(statisticsText({ total_duration: 2.5e9, eval_count: 10, eval_duration: 5e8 })).toBe(
    'total duration:       2.50 s\neval count:           10 token(s)\neval duration:        500.00 ms\n' +
      'eval rate:            20.00 tokens/s\n',
  );
});
