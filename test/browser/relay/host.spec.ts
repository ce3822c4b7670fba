// The browser host in a dedicated worker of real Chromium: the contracts of blobs and records, and a full quota.
import { expect, type Page, test } from '@playwright/test';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { blobCases } from '../../contract/host/blobs.ts';
import { fileCases } from '../../contract/host/files.ts';
import { recordCases } from '../../contract/host/records.ts';
import { throughCodecs } from '../../support/image-workflows/through-codecs.ts';
import { fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite, type Site } from '../support/fixture-site.ts';

let site: Site;
let page: Page;
let fixture: ReturnType<typeof fixtureOf>;

test.beforeAll(async ({ browser }) => {
  site = await fixtureSite({ isolated: true });
  page = await browser.newPage();
  await page.goto(site.origin);
  fixture = fixtureOf(page);
});

test.afterAll(async () => {
  await page?.close();
  await site?.close();
});

for (const store of ['opfs', 'opfs without move', 'cache'] as const) {
  for (const { name } of blobCases) {
    test(`blobs, ${store}: ${name}`, () => fixture.call('runBlobCase', name, store));
  }
}

for (const { name } of fileCases) {
  test(`files, opfs: ${name}`, () => fixture.call('runFileCase', name));
}

for (const { name } of recordCases) {
  test(`records, idb: ${name}`, () => fixture.call('runRecordCase', name));
}

test('the host states what the browser reports, and no more', async () => {
  const host = await fixture.call('describeHost');
  expect(host).toMatchObject({ servedBy: 'tab', blobs: 'OpfsBlobs', greeting: 'hello', consent: false });
  expect(host.unset).toBeUndefined();
  expect(host.os).toBe('Linux');
  expect(host.cores).toBeGreaterThan(0);
  expect(host.runtime).toContain('Chrome');
  expect(Math.abs(host.now - Date.now())).toBeLessThan(60_000);
  expect(host.isolated).toBe(true);
});

test('images are encoded and decoded to the same bytes as in Node', async () => {
  const data = Uint8Array.from({ length: 40 * 24 * 4 }, (_, at) =>
    at % 4 === 3 ? 255 - (at >> 5) : at % 251,
  );
  const pixels = { width: 40, height: 24, channels: 4 as const, data };
  expect(await fixture.call('throughCodecs', pixels)).toEqual(await throughCodecs(pixels, nodeCodecs));
});

for (const store of ['opfs', 'cache'] as const) {
  test(`a full quota is said as such, and what was written can be resumed: ${store}`, async ({
    playwright,
    launchOptions,
  }, info) => {
    // With a profile on disk: a private window keeps files in memory, without a quota.
    const context = await playwright.chromium.launchPersistentContext(
      info.outputPath('profile'),
      launchOptions,
    );
    try {
      const small = await context.newPage();
      await small.goto(site.origin);
      const session = await context.newCDPSession(small);
      await session.send('Storage.overrideQuotaForOrigin', { origin: site.origin, quotaSize: 30_000_000 });
      const { error, appended, resumed } = await fixtureOf(small).call('fillStorage', store);
      expect(error).toBe('StorageFull');
      expect(appended).toBeGreaterThan(5_000_000);
      expect(resumed).toBeLessThan(31_000_000);
      // The cache stores only complete pieces: the start of the next piece is lost.
      expect(resumed).toBeGreaterThan(appended - (store === 'opfs' ? 1 : 9_000_000));
    } finally {
      await context.close();
    }
  });
}
