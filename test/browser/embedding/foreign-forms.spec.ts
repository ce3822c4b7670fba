/** Forms of other sites reach webhooks, as they reach any server, and no other API. */
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';
import { SiteServer } from '../support/site-server.ts';

/** Submits a form from the page to `address`, in a new tab. */
async function send(page: Page, address: string) {
  const opening = page.context().waitForEvent('page');
  await page.evaluate((action) => {
    document.body.innerHTML = `<form method="post" action="${action}" target="_blank" enctype="text/plain">
      <input name='{"model":"x","a":"' value='"}'><button>Win</button></form>`;
    document.querySelector('button')!.click();
  }, address);
  const opened = await opening;
  await opened.waitForLoadState();
  const text = await opened.locator('body').textContent();
  await opened.close();
  return text ?? '';
}

test('a form of another site calls webhooks and no other API', async ({ open, site }) => {
  const page = await open();
  const other = new SiteServer();
  await other.listen();
  try {
    const foreign = await page.context().newPage();
    await foreign.goto(`${other.origin}/plain.html`);
    const refused = 'A form of another page was sent here';
    for (const path of ['/api/show', '/api/pull']) {
      expect(await send(foreign, site.origin + path), path).toContain(refused);
    }
    await foreign.evaluate(() => {
      document.head.innerHTML = '<meta name="referrer" content="no-referrer">';
    });
    expect(await send(foreign, `${site.origin}/api/show`)).toContain(refused);
    expect(JSON.parse(await send(foreign, `${site.origin}/webhook/echo`))).toMatchObject({
      method: 'POST',
      text: expect.stringContaining('"model":"x"'),
    });
  } finally {
    await other.close();
  }

  const own = JSON.parse(await send(page, `${site.origin}/api/show`));
  expect(own).toMatchObject({ method: 'POST', headers: { origin: site.origin } });
  expect(site.leaked).toEqual([]);
});
