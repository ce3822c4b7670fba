/** tabd in somebody else's site, from the package as it would be published. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { sendFile, startServer, storeFile } from '../support/blob-server.ts';
import { smollm2 } from '../support/weights.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Installs the packed tarball into a copy of the example and starts it. */
async function installExample(): Promise<{ url: string; stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-example-'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const site = join(folder, 'site');
  cpSync(join(root, 'examples/static-site'), site, { recursive: true });
  execFileSync('npm', ['install', '--silent', '--no-audit', join('..', tarball!)], { cwd: site });
  const server = spawn(process.execPath, ['server.mjs'], { cwd: site, env: { ...process.env, PORT: '0' } });
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', (line) => resolve(String(line).trim()));
    server.once('exit', (code) => reject(new Error(`the example ended with ${code}`)));
  });
  return {
    url,
    stop: () => {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Another site that has the weights, as a hub of files does. */
async function weightsSite(): Promise<{ url: string; close(): Promise<void> }> {
  const file = await storeFile(await smollm2());
  const server = await startServer((request, response) => sendFile(request, response, file, {}));
  return { url: `${server.url}/smollm2.gguf`, close: server.close };
}

test('a site keeps its backend and its service worker, and its plain fetches reach a real model', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const [example, weights] = await Promise.all([installExample(), weightsSite()]);
  try {
    await page.goto(example.url);
    await expect(page.locator('html')).toHaveAttribute('data-tabd', 'ready');
    await expect(page.locator('#orders')).toContainText('"from":"the site"');

    const answers = await page.evaluate(async () => {
      const ask = async (path: string, method = 'GET') => {
        const response = await fetch(path, { method });
        return {
          by: response.headers.get('x-tabd-served-by'),
          status: response.status,
          text: await response.text(),
        };
      };
      return {
        version: await ask('/api/version'),
        ownBelowApi: await ask('/api/orders', 'POST'),
        notSwitchedOn: await ask('/prompt', 'POST'),
        quote: await ask('/quote.txt'),
      };
    });
    expect(answers.version).toMatchObject({ by: 'tab', status: 200 });
    expect(answers.ownBelowApi).toMatchObject({ by: null, text: expect.stringContaining('the site') });
    expect(answers.notSwitchedOn).toMatchObject({ by: null, text: expect.stringContaining('the site') });
    expect(answers.quote.text).toContain('All the world is a tab.');

    page.on('dialog', (dialog) => dialog.accept());
    await page.getByLabel('Model').fill(weights.url);
    await page.getByRole('button').click();
    await expect(page.locator('#answer')).toContainText('Paris', { timeout: 180_000 });

    example.stop();
    expect(await page.evaluate(async () => (await fetch('/quote.txt')).text())).toContain('All the world');
    expect(await page.evaluate(async () => (await fetch('/api/tags')).status)).toBe(200);
  } finally {
    example.stop();
    await weights.close();
  }
});
