/** The built app on a plain static host: below a base path, without special headers, then without a network. */
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { serveFiles } from '../../support/network/static-files.ts';

const app = fileURLToPath(new URL('../../../dist/app', import.meta.url));

const answering = (page: Page) =>
  page.waitForFunction(async () => {
    if (!navigator.serviceWorker.controller) return false;
    const answer = await fetch('/api/version').catch(() => undefined);
    return answer?.headers.get('x-tabd-served-by') === 'tab';
  });

test('the app works from any static host below any base path, and offline after the first visit', async ({
  page,
}) => {
  const site = await serveFiles(app, '/some/base/');
  try {
    await page.goto(site.url);
    await answering(page);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
    await expect(page.locator('tabd-app')).toBeVisible();
    const session = await page.context().newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // Playwright's profiles count as private windows, which cannot install an app.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);
    // All requests are below the base path of the app.
    expect(
      site.requests.filter((line) => !/^GET \/some\/base\//.test(line) && !/favicon/.test(line)),
    ).toEqual([]);
  } finally {
    await site.close();
  }
  await page.reload();
  await answering(page);
  await expect(page.locator('tabd-app')).toBeVisible();
});
