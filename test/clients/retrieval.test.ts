/** Runs the example of docs/retrieval.md, with the text of that page: with curl, in Node and in a page. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OllamaEmbeddings } from '@langchain/ollama';
import { chromium } from '@playwright/test';
import { Ollama } from 'ollama';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openNodeCore } from '#shim/cli/node-core.ts';
import { cosine, minilmReference } from '../support/local-models/minilm.ts';
import { chromiumLaunch } from '../support/processes/chromium.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../support/processes/tab.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const run = promisify(execFile);
const never = new AbortController().signal;

let home: string;
let shim: RunningShim;
let port: number;
let blocks: Map<string, string[]>;

beforeAll(async () => {
  const text = await readFile(fileURLToPath(new URL('../../docs/retrieval.md', import.meta.url)), 'utf8');
  blocks = new Map();
  for (const [, language, code] of text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    blocks.set(language!, [...(blocks.get(language!) ?? []), code!]);
  }
  home = await mkdtemp(join(tmpdir(), 'tabd-retrieval-'));
  const core = await openNodeCore({ home, env: { ...process.env, HF_ENDPOINT: 'http://127.0.0.1:1' } });
  for await (const _line of core.registry.pull({ model: 'all-minilm', insecure: false }, never));
  await core.close();
  shim = await startShim(home);
  port = shim.ports['local-models'];
});
afterAll(async () => {
  await shim?.stop();
  await rm(home, { recursive: true, force: true });
});

const expected = () => blocks.get('text')![0]!.trim();

test('with curl', async () => {
  const command = blocks.get('sh')!.find((code) => code.startsWith('curl'))!;
  const { stdout } = await run('sh', ['-c', command.replaceAll(':11434', `:${port}`)], { maxBuffer: 1e8 });
  const { embeddings } = JSON.parse(stdout) as { embeddings: number[][] };
  expect(embeddings.map(({ length }) => length)).toEqual([384, 384]);
});

test('in Node', async () => {
  const file = join(home, 'retrieval.mjs');
  const code = blocks
    .get('js')![0]!
    .replace("const server = ''", `const server = 'http://127.0.0.1:${port}'`);
  await writeFile(file, code);
  expect((await run(process.execPath, [file])).stdout.trim()).toBe(expected());
});

test('in a page', async () => {
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const page = await openAppTab(browser, `http://localhost:${shim.ports.app}`);
    await pullIntoTab(page, 'all-minilm');
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    await page.evaluate(`(async () => {${blocks.get('js')![0]}})()`);
    expect(lines.filter((line) => /^\d\.\d\d /.test(line)).join('\n')).toBe(expected());
  } finally {
    await browser.close();
  }
});

test("through ollama's and LangChain's clients", async () => {
  const host = `http://127.0.0.1:${port}`;
  const [{ text, vector }] = minilmReference as [(typeof minilmReference)[number]];
  const { embeddings } = await new Ollama({ host }).embed({ model: 'all-minilm', input: text });
  expect(cosine(embeddings[0]!, vector)).toBeGreaterThan(0.999);
  const langchain = new OllamaEmbeddings({ baseUrl: host, model: 'all-minilm' });
  expect(cosine(await langchain.embedQuery(text), vector)).toBeGreaterThan(0.999);
});
