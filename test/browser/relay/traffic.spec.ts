/** Requests of a page other than `fetch`, and which of them tabd answers (docs/embedding.md has the same table). */
import type { Page } from '@playwright/test';
import { expect, log, test } from '../support/fixtures.ts';

interface Row {
  how: string;
  /** Runs in the page. */
  ask(): unknown;
  seen: unknown;
  /** The reason why the request bypasses the service worker and reaches the site. */
  passes?: string;
}

const echo = (method: string, type: string | undefined, text: string) => ({ method, type, text });

const ROWS: Row[] = [
  {
    how: 'XMLHttpRequest',
    ask: () =>
      new Promise((resolve) => {
        const xhr = new XMLHttpRequest();
        xhr.open('POST', '/webhook/echo');
        xhr.setRequestHeader('content-type', 'text/plain');
        xhr.responseType = 'json';
        xhr.onload = () => resolve(xhr.response);
        xhr.send('from xhr');
      }),
    seen: echo('POST', 'text/plain', 'from xhr'),
  },
  {
    how: 'XMLHttpRequest that waits (synchronous)',
    ask: () => {
      const xhr = new XMLHttpRequest();
      xhr.open('GET', '/api/version', false);
      xhr.send();
      return xhr.status;
    },
    seen: 404,
    passes: 'GET /api/version',
  },
  {
    how: 'EventSource',
    ask: () =>
      new Promise((resolve) => {
        const got: string[] = [];
        const source = new EventSource('/webhook/events');
        source.onmessage = ({ data }) => got.push(data);
        source.addEventListener('named', ({ data }) => {
          source.close();
          resolve([...got, `named ${data}`]);
        });
      }),
    seen: ['one', 'named two'],
  },
  {
    how: 'an image',
    ask: () =>
      new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve(image.naturalWidth);
        image.onerror = () => resolve('no image');
        image.src = '/view?pixel=1';
      }),
    seen: 1,
  },
  {
    how: 'navigator.sendBeacon',
    ask: () => navigator.sendBeacon('/webhook/echo', 'from a beacon'),
    seen: true,
  },
  {
    how: 'a frame',
    ask: () =>
      new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.onload = () => resolve(JSON.parse(frame.contentDocument!.body.textContent!));
        frame.src = '/webhook/echo?in=frame';
        document.body.append(frame);
      }),
    seen: echo('GET', undefined, ''),
  },
  {
    how: 'a form, answered in a frame',
    ask: () =>
      new Promise((resolve) => {
        document.body.insertAdjacentHTML(
          'beforeend',
          '<form method="post" action="/webhook/echo" target="here"><input name="a" value="ä b"></form>',
        );
        const frame = document.createElement('iframe');
        frame.name = 'here';
        document.body.append(frame);
        frame.onload = () => {
          const text = frame.contentDocument?.body.textContent;
          if (text) resolve(JSON.parse(text));
        };
        document.querySelector('form')!.submit();
      }),
    seen: echo('POST', 'application/x-www-form-urlencoded', 'a=%C3%A4+b'),
  },
  {
    how: 'fetch in a worker of the site',
    ask: () =>
      new Promise((resolve) => {
        const code = `fetch('${location.origin}/webhook/echo').then((r) => r.json()).then(postMessage)`;
        const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        new Worker(url).onmessage = ({ data }) => resolve(data);
      }),
    seen: echo('GET', undefined, ''),
  },
  {
    how: 'an embedded object',
    ask: () =>
      new Promise((resolve) => {
        const object = document.createElement('object');
        object.type = 'image/gif';
        object.onload = () => resolve('shown');
        object.onerror = () => resolve('not shown');
        object.data = '/view?pixel=2';
        document.body.append(object);
      }),
    seen: 'not shown',
    passes: 'GET /view',
  },
];

const run = (page: Page, { ask }: Row) => page.evaluate(`(${ask})()`);

test('requests other than fetch are answered too, with the documented exceptions', async ({ open, site }) => {
  const page = await open();
  for (const row of ROWS) {
    const before = site.leaked.length;
    expect.soft(await run(page, row), row.how).toEqual(row.seen);
    const passed = [...new Set(site.leaked.slice(before))];
    expect.soft(passed, row.how).toEqual(row.passes ? [row.passes] : []);
  }
  await expect.poll(() => log(page)).toContain('echo from a beacon');
});

test('a link with `download` bypasses the service worker', async ({ open, site }) => {
  const page = await open();
  const downloading = page.waitForEvent('download');
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/view?pixel=1', download: 'pixel.gif' });
    link.click();
  });
  await (await downloading).failure();
  expect(site.leaked).toEqual(['GET /view']);
});

test('a link and a form open their answers in another tab, also in chunks', async ({
  open,
  site,
  context,
}) => {
  const page = await open();
  for (const [submit, answer] of [
    ['<a href="/webhook/events" target="_blank">', 'data: two'],
    [
      '<form method="post" action="/webhook/echo" target="_blank"><input name="a" value="b"><button>',
      '"text":"a=b"',
    ],
  ] as const) {
    const opening = context.waitForEvent('page');
    await page.evaluate((html) => {
      document.body.innerHTML = html;
      document.querySelector<HTMLElement>('a, button')!.click();
    }, submit);
    const opened = await opening;
    await expect(opened.locator('body')).toContainText(answer);
    await opened.close();
  }
  expect(site.leaked).toEqual([]);
});

test('the only tab can be navigated to an answer of its own server, by address and by form', async ({
  open,
  site,
}) => {
  const page = await open();
  await page.evaluate(() => {
    document.body.innerHTML = '<form method="post" action="/webhook/echo"><input name="a" value="b"></form>';
    document.querySelector('form')!.submit();
  });
  await expect(page.locator('body')).toContainText('"text":"a=b"');
  await page.goBack();
  await page.evaluate(() => window.startTabd?.());
  await page.goto(`${site.origin}/webhook/echo?typed`);
  await expect(page.locator('body')).toContainText('"method":"GET"');
  expect(site.leaked).toEqual([]);
});
