/** Every kind of request, over every path from a page to the server worker. */
import type { Page } from '@playwright/test';
import {
  expect,
  fetchJson,
  log,
  type Streamed,
  stream,
  streaming,
  test,
  type Way,
} from '../support/fixtures.ts';
import { grownDuring } from '../support/memory.ts';

const MB = 1024 * 1024;
const WAYS: Way[] = ['service worker', 'direct port'];

interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  text: string;
}

for (const way of WAYS) {
  for (const tab of ['first tab', 'second tab'] as const) {
    test.describe(`${way}, ${tab}`, () => {
      let first: Page;
      let page: Page;
      test.beforeEach(async ({ open }) => {
        first = await open();
        page = tab === 'first tab' ? first : await open();
      });

      test('plain answers come from the server worker of the first tab', async ({ site }) => {
        const answer = await fetchJson<{ server: string }>(page, way, '/api/version');
        const same = await fetchJson<{ server: string }>(first, 'direct port', '/api/version');
        expect(answer.server).toBe(same.server);
        expect(site.leaked).toEqual([]);
      });

      test('method, headers, query and body arrive, with the headers that a browser adds on the network', async ({
        site,
      }) => {
        const echo = await fetchJson<Echo>(page, way, '/api/show?a=1&b=%20', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-mine': 'yes' },
          body: JSON.stringify({ text: 'grüße' }),
        });
        expect(echo.method).toBe('POST');
        expect(echo.url).toBe(`${site.origin}/api/show?a=1&b=%20`);
        expect(JSON.parse(echo.text)).toEqual({ text: 'grüße' });
        expect(echo.headers).toMatchObject({
          'content-type': 'application/json',
          'x-mine': 'yes',
          host: new URL(site.origin).host,
          origin: site.origin,
        });
        expect(echo.headers['user-agent']).toContain('Chrome');
      });

      test('forms arrive with their boundary', async () => {
        const text = await page.evaluate(async (way) => {
          const form = new FormData();
          form.append('image', new File(['bytes'], 'a.png', { type: 'image/png' }));
          const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
          const echo = await (await ask('/api/show', { method: 'POST', body: form })).json();
          const boundary = /boundary=(\S+)/.exec(echo.headers['content-type'])![1];
          return [echo.text.startsWith(`--${boundary}`), echo.text.includes('filename="a.png"')];
        }, way);
        expect(text).toEqual([true, true]);
      });

      test('a status without a body has none', async () => {
        const answer = await page.evaluate(async (way) => {
          const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
          const response = await ask('/api/delete', { method: 'DELETE' });
          return [response.status, response.headers.get('x-gone'), await response.text()];
        }, way);
        expect(answer).toEqual([204, 'yes', '']);
      });

      test('an unknown path below /api gets the 404 of its API', async () => {
        expect(await fetchJson(page, way, '/api/nothing')).toMatchObject({ error: 'nothing here' });
      });

      test('a stream arrives line by line, and ends', async () => {
        const result = await stream(page, way, 'lines=200&interval=1');
        expect(result).toMatchObject({ n: 201, done: true, status: 200 });
        expect(result.error).toBeUndefined();
      });

      test('an abort in mid-stream stops the work', async () => {
        const seen = await page.evaluate(async (way) => {
          const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
          const left = new AbortController();
          const address = '/api/generate?id=left&lines=100000&interval=5';
          const response = await ask(address, { method: 'POST', signal: left.signal });
          const reader = response.body!.getReader();
          await reader.read();
          left.abort();
          return reader.read().then(
            () => 'continued',
            (cause) => cause.name,
          );
        }, way);
        expect(seen).toBe('AbortError');
        await expect.poll(() => log(first)).toContain('left cancelled');
      });

      test('an abort before the head stops the work', async () => {
        // A service worker notices the abort at the latest when the head arrives.
        const delay = way === 'direct port' ? 60_000 : 400;
        const seen = await page.evaluate(
          async ({ way, delay }) => {
            const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
            const left = new AbortController();
            const answer = ask(`/api/chat?id=left&delay=${delay}`, { method: 'POST', signal: left.signal });
            setTimeout(() => left.abort(), 100);
            return answer.then(
              () => 'answered',
              (cause) => cause.name,
            );
          },
          { way, delay },
        );
        expect(seen).toBe('AbortError');
        await expect
          .poll(async () => (await log(first)).filter((line) => /left (aborted|cancelled)/.test(line)).length)
          .toBeGreaterThan(0);
      });

      test('fifty streams run concurrently', async () => {
        const results = await page.evaluate(async (way) => {
          const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
          const countLines = async () => {
            const response = await ask('/api/generate?lines=20&interval=20', { method: 'POST' });
            return (await response.text()).trim().split('\n').length;
          };
          return Promise.all(Array.from({ length: 50 }, countLines));
        }, way);
        expect(results).toEqual(Array(50).fill(21));
      });
    });
  }

  test(`${way}: leaving the page stops its work`, async ({ open }) => {
    const first = await open();
    const page = await open();
    stream(page, way, 'id=left&lines=100000&interval=5').catch(() => {});
    await streaming(page);
    await page.goto('about:blank');
    await expect.poll(() => log(first), { timeout: 10_000 }).toContain('left cancelled');
  });

  test(`${way}: 200 MB up and down, in flat memory`, async ({ open, browser }) => {
    test.slow();
    await open();
    const page = await open();
    const download = (megabytes: number, query = '') =>
      page.evaluate(
        async ({ way, address }) => {
          const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
          const started = performance.now();
          let bytes = 0;
          const response = await ask(address);
          for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
            bytes += chunk.length;
          return { bytes, speed: Math.round(bytes / 1000 / (performance.now() - started)) };
        },
        { way, address: `/view?size=${megabytes * MB}${query}` },
      );
    const down = await download(200);
    const file = await download(200, '&blob=1');
    // The body is several times larger than what garbage collection leaves, so a buffered body would be noticed.
    const more = await grownDuring(browser, () => download(600));
    await page.evaluate((pieces) => {
      Object.assign(window, { upload: new Blob(Array(pieces).fill(new Uint8Array(2 ** 20))) });
    }, 200);
    const up = await grownDuring(browser, () =>
      page.evaluate(async (way) => {
        const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
        const { upload: body } = window as unknown as { upload: Blob };
        const started = performance.now();
        let bytes = 0;
        for (let times = 0; times < 3; times++) {
          const response = await ask('/api/blobs/sha256:0', { method: 'POST', body });
          bytes += (await response.json()).bytes;
        }
        return { bytes, speed: Math.round(bytes / 1000 / (performance.now() - started)) };
      }, way),
    );
    const grown = (bytes: number) => `${Math.round(bytes / MB)} MiB more memory`;
    console.log(
      `${way}, from the other tab, 200 MiB: down ${down.speed} MB/s, ` +
        `down as a file ${file.speed} MB/s, up ${up.result.speed} MB/s; 600 MiB down: ${grown(more.grown)}, 3 x 200 MiB up: ${grown(up.grown)}`,
    );
    expect([down.bytes, file.bytes]).toEqual([200 * MB, 200 * MB]);
    expect([more.result.bytes, up.result.bytes]).toEqual([600 * MB, 600 * MB]);
    expect(more.grown).toBeLessThan(350 * MB);
    expect(up.grown).toBeLessThan(350 * MB);
  });
}

test('a slow reader slows the server down', async ({ open }) => {
  const page = await open();
  for (const way of WAYS) {
    const pieces = await page.evaluate(async (way) => {
      const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
      const response = await ask('/api/generate?id=slow&lines=100000000&interval=0', { method: 'POST' });
      const reader = response.body!.getReader();
      await reader.read();
      const memory = () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory;
      const before = memory().usedJSHeapSize;
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const grown = memory().usedJSHeapSize - before;
      await reader.cancel();
      return grown;
    }, way);
    expect(pieces).toBeLessThan(32 * MB);
  }
});

test('a navigation to an API path shows its answer, and redirects are followed', async ({ open, site }) => {
  const page = await open();
  expect(await fetchJson(page, 'service worker', '/webhook/redirect')).toEqual({ target: '?x=1' });
  // A navigation of the leading tab would end the server, so another tab navigates.
  await open();
  await page.goto(`${site.origin}/webhook/redirect`);
  await expect(page.locator('body')).toContainText('"target":"?x=1"');
  expect(site.leaked).toEqual([]);
});

test('a WebSocket to /ws works, over the direct port and over the patched class', async ({ open }) => {
  await open();
  const page = await open();
  const talk = await page.evaluate(async () => {
    const undo = window.patchWebSocket(window.tabd, { apis: ['image-workflows'], intercept: true });
    const results = [];
    for (const make of [
      () => window.tabd.connect('/ws?clientId=me'),
      () => new WebSocket(`ws://${location.host}/ws?clientId=me`),
      () => new WebSocket('ws://127.0.0.1:8188/ws?clientId=me'),
    ]) {
      const socket = make();
      socket.binaryType = 'arraybuffer';
      const got: unknown[] = [];
      const closed = new Promise<number>((resolve) => {
        socket.onclose = (event) => resolve(event.code);
      });
      socket.onmessage = ({ data }) => {
        got.push(typeof data === 'string' ? data : [...new Uint8Array(data)]);
        if (got.length === 1) {
          socket.send('text');
          socket.send(new Uint8Array([1, 2, 3]));
          socket.send(new Blob(['blob']));
        }
        if (got.length === 4) socket.send('close');
      };
      const code = await closed;
      results.push({
        got: got.slice(1),
        hello: JSON.parse(got[0] as string).hello,
        code,
        instance: socket.readyState,
      });
    }
    undo();
    return results;
  });
  expect(talk).toHaveLength(3);
  for (const result of talk) {
    expect(result).toEqual({
      got: ['text', [1, 2, 3], [98, 108, 111, 98]],
      hello: 'me',
      code: 4001,
      instance: 3,
    });
  }
});

test('a WebSocket to a path without one is refused', async ({ open }) => {
  const page = await open();
  const seen = await page.evaluate(async () => {
    const socket = window.tabd.connect('/api/ws');
    const events: string[] = [];
    socket.onerror = () => events.push('error');
    await new Promise<void>((resolve) => {
      socket.onclose = ({ code }) => {
        events.push(`close ${code}`);
        resolve();
      };
    });
    return events;
  });
  expect(seen).toEqual(['error', 'close 1006']);
});

test('a page in an iframe sends requests through the service worker', async ({ open, site }) => {
  const page = await open();
  const result = await page.evaluate(async () => {
    const frame = document.createElement('iframe');
    frame.src = '/plain.html';
    const loaded = new Promise((resolve) => {
      frame.onload = resolve;
    });
    document.body.append(frame);
    await loaded;
    const response = await (frame.contentWindow as Window & typeof globalThis).fetch(
      '/api/generate?lines=5',
      { method: 'POST' },
    );
    return (await response.text()).trim().split('\n').at(-1);
  });
  expect(JSON.parse(result!) as Streamed).toMatchObject({ n: 6, done: true });
  expect(site.leaked).toEqual([]);
});
