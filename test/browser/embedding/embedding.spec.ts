/** tabd in the site of a developer, installed from the package that would be published. */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { build } from 'esbuild';
import { tinyGguf } from '../../support/model-files/tiny-gguf.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { type Content, sendFile, startServer, storeFile } from '../../support/network/blob-server.ts';
import { type StaticSite, serveFiles } from '../../support/network/static-files.ts';
import {
  commandOutput,
  type InstalledPackage,
  installPackage,
  root,
} from '../../support/processes/installed-package.ts';

test.describe.configure({ timeout: 240_000 });

let installed: InstalledPackage;
const sites: StaticSite[] = [];

test.beforeAll(async () => {
  installed = await installPackage();
});
test.afterAll(async () => {
  await Promise.all(sites.map((site) => site.close()));
  await installed?.remove();
});

async function serve(...args: Parameters<typeof serveFiles>): Promise<StaticSite> {
  const site = await serveFiles(...args);
  sites.push(site);
  return site;
}

let plain: Promise<string> | undefined;
/** The files of the page without a build. */
function plainPage(): Promise<string> {
  plain ??= installed.example('plain-page', 'prepare').then((site) => join(site, 'public'));
  return plain;
}

/** Which server answers these paths, and with which text, by plain `fetch`. */
const ask = (page: Page, paths: string[], method = 'GET') =>
  page.evaluate(
    ([all, how]) =>
      Promise.all(
        all.map(async (path) => {
          const response = await fetch(path, { method: how });
          return [response.status, response.headers.get('x-tabd-served-by'), await response.text()] as const;
        }),
      ),
    [paths, method] as const,
  );
const ready = (page: Page) => expect(page.locator('html')).toHaveAttribute('data-tabd', 'ready');

test('publint and are-the-types-wrong find nothing in the package', async () => {
  const { tarball } = installed;
  const [lint] = await Promise.all([
    commandOutput(process.execPath, ['node_modules/publint/src/cli.js', 'run', tarball, '--strict']),
    // The package has no CommonJS entry: it is for Node's `import` and for bundlers.
    commandOutput(process.execPath, [
      'node_modules/@arethetypeswrong/cli/dist/index.js',
      tarball,
      '--profile',
      'esm-only',
    ]),
  ]);
  expect(lint).toContain('All good!');
});

test('modules that a site does not import are not in its bundle', async () => {
  const bundle = async (contents: string) => {
    const stdin = { contents, resolveDir: join(installed.folder, '../..') };
    const buildOptions = {
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      logLevel: 'error',
    } as const;
    return (await build({ stdin, ...buildOptions })).outputFiles[0]!.text;
  };
  expect(await bundle("import 'tabd'; import 'tabd/websocket'; import 'tabd/remote';")).toBe('');
  expect((await bundle("export { ModelError } from 'tabd';")).length).toBeLessThan(500);
  const remote = await bundle("export { connect } from 'tabd/remote';");
  expect(remote).not.toContain('serviceWorker');
  expect(remote.length).toBeLessThan(30_000);
});

/** A second site that serves a model, as a model hub does. */
async function weightsSite(content: Content): Promise<{ url: string; close(): Promise<void> }> {
  const file = await storeFile(content);
  const server = await startServer((request, response) => sendFile(request, response, file, {}));
  return { url: `${server.url}/model.gguf`, close: server.close };
}

test('a site keeps its backend and its service worker, and its plain fetches reach a real model', async ({
  page,
}) => {
  const cwd = await installed.example('static-site');
  const server = spawn(process.execPath, ['server.mjs'], { cwd, env: { ...process.env, PORT: '0' } });
  const [url, weights] = await Promise.all([
    new Promise<string>((resolve, reject) => {
      server.stdout.once('data', (line) => resolve(String(line).trim()));
      server.once('exit', (code) => reject(new Error(`the example ended with ${code}`)));
    }),
    smollm2().then(weightsSite),
  ]);
  // The site sends the policy of the documentation to the page, its workers and the engines.
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
  });
  try {
    expect((await fetch(url)).headers.get('content-security-policy')).toContain("'wasm-unsafe-eval'");
    await page.goto(url);
    await ready(page);
    await expect(page.locator('#orders')).toContainText('"from":"the site"');

    const [[version], [ownBelowApi, notSwitchedOn], [quote]] = await Promise.all([
      ask(page, ['/api/version']),
      ask(page, ['/api/orders', '/prompt'], 'POST'),
      ask(page, ['/quote.txt']),
    ]);
    expect(version).toEqual([200, 'tab', expect.stringContaining('version')]);
    expect(ownBelowApi).toEqual([200, null, expect.stringContaining('the site')]);
    expect(notSwitchedOn).toEqual([200, null, expect.stringContaining('the site')]);
    expect(quote![2]).toContain('All the world is a tab.');

    page.on('dialog', (dialog) => dialog.accept());
    await page.getByLabel('Model').fill(weights.url);
    await page.getByRole('button').click();
    await expect(page.locator('#answer')).toContainText('Paris', { timeout: 180_000 });
    expect(violations).toEqual([]);

    server.kill();
    expect((await ask(page, ['/quote.txt']))[0]![2]).toContain('All the world');
    expect((await ask(page, ['/api/tags']))[0]![0]).toBe(200);
  } finally {
    server.kill();
    await weights.close();
  }
});

test('Vite: types are correct, the plugin serves and builds, below any base', async ({ page, context }) => {
  const site = await installed.example('vite-app', 'build -- --base=/some/base/');
  const built = await serve(join(site, 'dist'), '/some/base/');
  let prompt = '';
  page.on('dialog', (dialog) => {
    prompt = dialog.message();
    dialog.dismiss();
  });
  // Without a model at the address there is no prompt, and the page reports that.
  await page.goto(`${built.url}?model=http://localhost:9/none.gguf`);
  await ready(page);
  await expect(page.locator('#state')).toContainText('none.gguf');
  expect(prompt).toBe('');
  expect(await ask(page, ['/api/version', '/v1/models', '/prompt'])).toEqual([
    [200, 'tab', expect.stringContaining('version')],
    [200, 'tab', expect.stringContaining('list')],
    [404, null, 'not on this site'],
  ]);
  expect(built.requests.filter((line) => / \/(api|v1)\//.test(line))).toEqual([]);
  expect(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)).toContain(
    '/some/base/sw.js?',
  );

  // With a model the user is asked first, and the download shows its progress.
  const tensors = [{ name: 'token_embd.weight', shape: [256, 4000], type: 'F32' as const }];
  const weights = await weightsSite(tinyGguf({ tensors }));
  try {
    await page.goto(`${built.url}?model=${weights.url}`);
    await expect(page.locator('#state')).toContainText('was declined');
    expect(prompt).toBe('Download model:latest, 4 MB (licence unknown)?');
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => dialog.accept());
    await page.addInitScript(() => {
      const texts: (string | null | undefined)[] = [];
      Object.assign(window, { texts });
      new MutationObserver(() => texts.push(document.querySelector('#state')?.textContent)).observe(
        document,
        {
          childList: true,
          subtree: true,
        },
      );
    });
    await page.reload();
    await expect(page.locator('#state')).toHaveText('ready');
    expect(await page.evaluate(() => (window as unknown as { texts: string[] }).texts)).toContain(
      'downloading: 100 %',
    );
    expect((await ask(page, ['/api/tags']))[0]![2]).toContain('"model:latest"');
  } finally {
    await weights.close();
  }

  // During development the plugin serves the same files.
  const dev = spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), '--port', '0'], {
    cwd: site,
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = '';
      dev.stdout.on('data', (text) => {
        said += text;
        // biome-ignore lint/suspicious/noControlCharactersInRegex: Vite writes in colors
        const address = /http:\/\/localhost:\d+\//.exec(said.replace(/\x1b\[\d+m/g, ''));
        if (address) resolve(address[0]);
      });
      dev.once('exit', (code) => reject(new Error(`vite ended with ${code}: ${said}`)));
    });
    const developing = await context.newPage();
    await developing.goto(`${url}?model=http://localhost:9/none.gguf`);
    await ready(developing);
    expect((await ask(developing, ['/api/version']))[0]!.slice(0, 2)).toEqual([200, 'tab']);
  } finally {
    dev.kill();
  }
});

test('webpack: bundled, with the files that `tabd copy` adds to the page, below a prefix', async ({
  page,
}) => {
  const site = await installed.example('webpack-app', 'build');
  const { url, requests } = await serve(join(site, 'dist'));
  await page.goto(url);
  await ready(page);
  await expect(page.locator('#models')).toHaveText('0 models are installed in this browser.');
  expect(await ask(page, ['/ai/api/version', '/api/version'])).toEqual([
    [200, 'tab', expect.stringContaining('version')],
    [404, null, 'not on this site'],
  ]);
  expect(requests.filter((line) => line.includes('/ai/'))).toEqual([]);
});

test('a plain page: no build, any base path, and clients that use the usual local ports', async ({
  page,
}) => {
  const { url } = await serve(await plainPage(), '/deep/down/');
  await page.goto(url);
  await ready(page);
  await expect(page.locator('#version')).toHaveText(/API level \d/);
  expect(await ask(page, ['http://127.0.0.1:11434/api/tags', '/v1/models'])).toEqual([
    [200, 'tab', '{"models":[]}'],
    [200, 'tab', expect.stringContaining('list')],
  ]);
});

test('a classic service worker of the site uses the same files', async ({ page }) => {
  const folder = await plainPage();
  await writeFile(
    join(folder, 'own-sw.js'),
    `importScripts('tabd/handle.global.js');
    const options = { apis: ['local-models'], prefix: '/ai' };
    addEventListener('install', () => skipWaiting());
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    addEventListener('message', (event) => tabd.handle(event, options));
    addEventListener('fetch', (event) => {
      if (tabd.handle(event, options)) return;
      if (event.request.url.endsWith('/own')) event.respondWith(new Response('its own'));
    });`,
  );
  await writeFile(
    join(folder, 'own.html'),
    `<!doctype html><script type="module">
    import { start } from './tabd/index.js';
    const serviceWorker = await navigator.serviceWorker.register('own-sw.js');
    const tabd = await start({ apis: ['local-models'], prefix: '/ai', serviceWorker });
    document.documentElement.dataset.tabd = tabd.state.phase;
    </script>`,
  );
  const { url } = await serve(folder, '/deep/');
  await page.goto(`${url}own.html`);
  await ready(page);
  expect(await ask(page, ['/ai/api/version', 'own', '/api/version'])).toEqual([
    [200, 'tab', expect.stringContaining('version')],
    [200, null, 'its own'],
    [404, null, 'not on this site'],
  ]);
});

test('data of a newer version stay as they are: start() reports that', async ({ page }) => {
  const { url } = await serve(await plainPage());
  await page.goto(`${url}page.js`);
  await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('tabd', 1_000_000);
        opening.onsuccess = () => resolve(opening.result.close());
        opening.onerror = () => reject(opening.error);
      }),
  );
  const failing = page.waitForEvent('pageerror');
  await page.goto(url);
  const { name, message } = await failing;
  expect([name, message]).toEqual(['StartError', expect.stringMatching(/newer/)]);
});

test('a page of another origin asks in a window, is allowed, and works in a frame until the permission is revoked', async ({
  page,
  context,
}) => {
  const site = await installed.example('other-origin', 'prepare');
  const [host, guest] = await Promise.all([serve(join(site, 'host')), serve(join(site, 'guest'))]);
  const address = `${guest.url}?host=${host.url}`;
  await page.goto(address);
  // A frame cannot ask the user.
  await expect(page.locator('html')).toHaveAttribute('data-frame', 'refused');
  const opened = context.waitForEvent('page');
  await page.getByRole('button').click();
  const window = await opened;
  await expect(window.locator('#question')).toHaveText(
    `May ${new URL(guest.url).origin} use the models of this browser?`,
  );
  await window.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(page.locator('#answer')).toHaveText(/API level \d/);

  const second = await context.newPage();
  await second.goto(address);
  await expect(second.locator('html')).toHaveAttribute('data-frame', 'allowed');
  await expect(second.locator('#answer')).toHaveText(/API level \d/);
  await window.getByRole('button', { name: 'Take back' }).click();
  await expect(page.locator('#answer')).toContainText('taken back');
  await second.reload();
  await expect(second.locator('html')).toHaveAttribute('data-frame', 'refused');
});

test('the changelog has a section for the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(installed.folder, 'package.json'), 'utf8'));
  expect(await readFile(join(installed.folder, 'CHANGELOG.md'), 'utf8')).toContain(`## [${version}]`);
});
