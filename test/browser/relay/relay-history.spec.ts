/** Pages in the back/forward cache delay no other page, and work again when they return. */
import { chromiumLaunch } from '../../support/processes/chromium.ts';
import { expect, fetchJson, log, stream, streaming, test } from '../support/fixtures.ts';

// Playwright disables the back/forward cache by default.
test.use({
  launchOptions: { ...(await chromiumLaunch()), ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

test('a leading tab works again after back and forward', async ({ open, site }) => {
  const page = await open();
  await page.evaluate(() => Object.assign(window, { mark: 'the same document' }));
  await page.goto(`${site.origin}/plain.html`);
  await page.goBack({ waitUntil: 'commit' });
  // Checks the test itself: the document was in the cache.
  expect(await page.evaluate(() => (window as unknown as { mark?: string }).mark)).toBe('the same document');
  await page.waitForFunction(() => window.tabd.state.phase === 'ready');
  for (const way of ['service worker', 'direct port'] as const) {
    expect(await fetchJson(page, way, '/api/version')).toMatchObject({
      server: expect.stringMatching(/^server-/),
    });
  }
  expect(await page.evaluate(() => window.tabd.state.leading)).toBe(true);
});

test('a leading tab in the cache delays no other tab', async ({ open, site }) => {
  const first = await open();
  const second = await open();
  const before = await fetchJson<{ server: string }>(second, 'service worker', '/api/version');
  await first.goto(`${site.origin}/plain.html`);
  const after = await fetchJson<{ server: string }>(second, 'service worker', '/api/version');
  expect(after.server).toMatch(/^server-/);
  expect(after.server).not.toBe(before.server);
});

test('the stream of a page in the cache is canceled', async ({ open, context, site }) => {
  const first = await open();
  for (const [index, path] of ['/plain.html', '/index.html'].entries()) {
    const reader = await context.newPage();
    await reader.goto(site.origin + path);
    stream(reader, 'service worker', `id=reader-${index}&lines=1000000&interval=5`).catch(() => {});
    await streaming(reader);
    await reader.goto(`${site.origin}/other.html`);
    await expect.poll(() => log(first), { timeout: 10_000 }).toContain(`reader-${index} cancelled`);
  }
});
