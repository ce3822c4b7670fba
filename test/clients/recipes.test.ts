/** Runs the recipes in docs/recipes, with the text of their pages, against a real shim with real weights. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { modelVariant } from '../support/local-models/model-variants.ts';
import { addEmojiModel, EMOJI } from '../support/model-files/emoji-model.ts';
import { smollm2 } from '../support/model-files/weights.ts';
import { sendFile, startServer, storeFile } from '../support/network/blob-server.ts';
import { serveFiles } from '../support/network/static-files.ts';
import { chromiumLaunch } from '../support/processes/chromium.ts';
import { codeBlocks } from '../support/processes/markdown.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { hasPython, pythonPackage } from '../support/processes/python-package.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

let home: string;
let folder: string;
let shim: RunningShim;

beforeAll(async () => {
  home = await makeHome([
    { name: 'smollm2:135m', path: await smollm2() },
    // This model has other vectors than the model of the same name in test/clients/retrieval.test.ts.
    { name: 'all-minilm', path: await modelVariant('smollm2-embed-quick') },
  ]);
  await addEmojiModel(home);
  folder = await mkdtemp(join(tmpdir(), 'tabd-recipes-'));
  shim = await startShim(home);
  // With random sampling, a small model may never end its answer.
  const created = await fetch(`http://localhost:${shim.ports['local-models']}/api/create`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'smollm2:135m',
      from: 'smollm2:135m',
      parameters: { temperature: 0 },
      stream: false,
    }),
  });
  expect(await created.json()).toEqual({ status: 'success' });
});
afterAll(async () => {
  await shim?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
  if (home) await removeHome(home);
});

/** A developer's server may have the usual ports. A small model answers some questions at length. */
function onPorts(code: string): string {
  const { ports } = shim;
  return code
    .replaceAll('Why is the sky blue?', 'What is the capital of France?')
    .replaceAll(':11434', `:${ports['local-models']}`)
    .replaceAll(':8188', `:${ports['image-workflows']}`)
    .replaceAll(':5678', `:${ports.webhooks}`);
}

test.each(['README.md', 'docs/quick-start.md'])('the commands of %s', async (page) => {
  const commands = (await codeBlocks(page, 'sh')).filter((code) => code.includes('curl'));
  expect(commands.length).toBeGreaterThan(0);
  for (const code of commands) {
    const { stdout } = await run('sh', ['-ec', onPorts(code)], {
      cwd: root,
      env: { ...process.env, TABD_HOME: home },
    });
    expect(stdout).toContain('smollm2:135m');
    expect(stdout).not.toContain('"error"');
  }
});

test('the code of README.md for a page, sent to the port', async () => {
  const [code] = await codeBlocks('README.md', 'js');
  expect(code).toContain("fetch('/api/chat'");
  const sent = onPorts(code!.replace("'/api/chat'", "'http://localhost:11434/api/chat'"));
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', sent]);
  expect(stdout).toMatch(/\w+/);
});

test('LangChain', async () => {
  const [code] = await codeBlocks('docs/recipes/langchain.md', 'js');
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', onPorts(code!)], {
    cwd: root,
  });
  const [answer, place, likeness] = stdout.split(/\n(?=\{)|(?<=\})\n/);
  expect(answer).toContain('Paris');
  expect(place).toMatch(/^\{ city: '.*', country: '.*' \}$/s);
  expect(likeness).toMatch(/^\[ '-?\d\.\d\d', '-?\d\.\d\d' \]\n$/);
});

test.runIf(await hasPython())('ComfyUI scripts', async () => {
  const [graph] = await codeBlocks('docs/recipes/comfyui-scripts.md', 'json');
  const [script] = await codeBlocks('docs/recipes/comfyui-scripts.md', 'python');
  // Uses the faster of the two models.
  await writeFile(join(folder, 'graph.json'), graph!.replace('emoji-128', EMOJI));
  await writeFile(join(folder, 'draw.py'), onPorts(script!));
  const env = { ...process.env, PYTHONPATH: await pythonPackage('websocket-client==1.9.2') };
  const { stdout } = await run('python3', ['draw.py'], { cwd: folder, env });
  expect(stdout.trim().split('\n')).toEqual([
    ...Array.from({ length: 8 }, (_, step) => `step ${step + 1} of 8`),
    'recipe_00001_.png',
  ]);
  expect((await readFile(join(folder, 'recipe_00001_.png'))).toString('latin1', 1, 4)).toBe('PNG');
});

test('GitHub webhook', async () => {
  const [code] = await codeBlocks('docs/recipes/github-webhook.md', 'sh');
  await mkdir(join(folder, 'bin'), { recursive: true });
  const program = join(root, 'node-shim/dist/cli.js');
  await writeFile(join(folder, 'bin/tabd'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, TABD_HOME: home, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const { stdout } = await run('sh', ['-ec', onPorts(code!)], { cwd: root, env });
  expect(stdout).toMatch(/^imported GitHub issue /);
  expect(stdout).toMatch(/\{"received":true\}$/);
  await expect
    .poll(async () => (await run('tabd', ['workflow', 'executions'], { env })).stdout, { timeout: 60_000 })
    .toContain('success');
  expect(await calledBy('not the secret')).toEqual([500, '{"message":"Error in workflow"}']);

  async function calledBy(secret: string): Promise<[number, string]> {
    const forged = onPorts(code!.slice(code!.indexOf('body='))).replace('the secret', secret);
    const said = (await run('sh', ['-ec', forged.replace('curl -s', "curl -s -w '\\n%{http_code}'")])).stdout;
    const [body = '', status] = said.split('\n');
    return [Number(status), body];
  }
});

test('a page with a model', async () => {
  const [page] = await codeBlocks('docs/recipes/page.md', 'html');
  const site = join(folder, 'public');
  await mkdir(site);
  await run(process.execPath, [join(root, 'dist/tools/cli.js'), 'copy', site]);
  const weights = await storeFile(await smollm2());
  const hub = await startServer((request, response) => sendFile(request, response, weights, {}));
  await writeFile(join(site, 'index.html'), page!.replace("'smollm2:135m'", `'${hub.url}/smollm2.gguf'`));
  const host = await serveFiles(site);
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const tab = await browser.newPage();
    await tab.goto(host.url);
    await tab.getByRole('button', { name: 'Ask' }).click({ timeout: 90_000 });
    await tab.getByText('Paris').waitFor({ timeout: 90_000 });
  } finally {
    await browser.close();
    await host.close();
    await hub.close();
  }
});
