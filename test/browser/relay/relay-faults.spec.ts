/** If any part dies, the answer ends with an error at once, and the next request succeeds. */
import type { Page } from '@playwright/test';
import {
  expect,
  fetchJson,
  log,
  stopServiceWorkers,
  stream,
  streaming,
  test,
  type Way,
} from '../support/fixtures.ts';

const WAYS: Way[] = ['service worker', 'direct port'];
const LONG = 'id=long&lines=100000&interval=20';

const ends: Record<string, (page: Page) => Promise<unknown>> = {
  closed: (page) => page.close(),
  'navigated away': (page) => page.goto('about:blank'),
  crashed: async (page) => {
    const crashed = page.waitForEvent('crash');
    page.goto('chrome://crash').catch(() => {});
    await crashed;
  },
  'left without its server worker': (page) => page.evaluate(() => window.workers.at(-1)?.terminate()),
};

const version = (page: Page, way: Way) =>
  fetchJson<{ server?: string; error?: string }>(page, way, '/api/version');

for (const way of WAYS) {
  for (const [end, run] of Object.entries(ends)) {
    test(`${way}: the leading tab is ${end} in mid-stream`, async ({ open, site }) => {
      const first = await open();
      const second = await open();
      const before = await version(second, way);
      const answer = stream(second, way, LONG);
      await streaming(second);
      const started = performance.now();
      await run(first);
      const { error, done } = await answer;
      const timeToEnd = performance.now() - started;
      expect(done).toBe(false);
      expect(error).toBeTruthy();
      const after = await version(second, way);
      const answered = performance.now() - started;
      console.log(
        `${way}, leader ${end}: error after ${timeToEnd | 0} ms, next answer after ${answered | 0} ms`,
      );
      expect(after.server).toMatch(/^server-/);
      expect(after.server).not.toBe(before.server);
      expect(timeToEnd).toBeLessThan(2000);
      expect(site.leaked).toEqual([]);
    });

    test(`${way}: the leading tab is ${end} between requests`, async ({ open, site }) => {
      const first = await open();
      const second = await open();
      const before = await version(second, way);
      await run(first);
      const after = await version(second, way);
      expect(after.server).toMatch(/^server-/);
      expect(after.server).not.toBe(before.server);
      expect(site.leaked).toEqual([]);
    });
  }

  test(`${way}: a server that does not react is replaced; meanwhile 503 with Retry-After`, async ({
    open,
  }) => {
    const first = await open();
    const second = await open();
    const before = await version(second, way);
    // The replacement of the server ends this request, or else a time limit of one minute.
    fetchJson(first, 'direct port', '/api/copy?ms=60000', { method: 'POST' }).catch(() => {});
    await first.waitForTimeout(200);
    const refused = await second.evaluate(async (way) => {
      const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
      const started = performance.now();
      const response = await ask('/v1/models');
      const after = Number(response.headers.get('retry-after'));
      return { status: response.status, body: await response.json(), after, ms: performance.now() - started };
    }, way);
    expect(refused.status).toBe(503);
    expect(refused.after).toBeGreaterThan(0);
    expect(refused.body).toMatchObject({ error: { code: 'server_unavailable' } });
    expect(refused.ms).toBeLessThan(6000);
    await expect
      .poll(async () => (await version(second, way)).server ?? before.server, { timeout: 15_000 })
      .not.toBe(before.server);
  });
}

test('a tab that waits for its registration answers when it becomes the leader', async ({
  open,
  context,
  site,
}) => {
  const first = await open();
  await context.addInitScript(() => {
    ServiceWorkerContainer.prototype.register = () => new Promise(() => {});
  });
  const second = await context.newPage();
  await second.goto(`${site.origin}/index.html`);
  await second.evaluate(() => {
    window.startTabd({});
  });
  const before = await version(second, 'service worker');
  await first.close();
  const after = await version(second, 'service worker');
  expect(after.server).toMatch(/^server-/);
  expect(after.server).not.toBe(before.server);
});

test('a busy page of the leading tab does not delay answers', async ({ open }) => {
  const first = await open();
  const second = await open();
  for (const way of WAYS) await version(second, way);
  first
    .evaluate(() => {
      const until = performance.now() + 4000;
      while (performance.now() < until);
    })
    .catch(() => {});
  await second.waitForTimeout(100);
  for (const way of WAYS) {
    const started = performance.now();
    expect((await version(second, way)).server).toMatch(/^server-/);
    expect(performance.now() - started).toBeLessThan(1000);
  }
});

test('when the service worker is stopped in mid-stream, the reader gets an error and the work stops', async ({
  open,
  context,
}) => {
  const page = await open();
  const answer = stream(page, 'service worker', LONG);
  await streaming(page);
  const session = await context.newCDPSession(page);
  await stopServiceWorkers(session);
  const { error, done } = await answer;
  expect(done).toBe(false);
  expect(error).toBeTruthy();
  await expect.poll(() => log(page)).toContain('long cancelled');
  expect((await version(page, 'service worker')).server).toMatch(/^server-/);
});

test('the next request starts a stopped service worker', async ({ open, context, site }) => {
  const page = await open();
  const session = await context.newCDPSession(page);
  for (let round = 0; round < 3; round++) {
    await stopServiceWorkers(session);
    expect((await version(page, 'service worker')).server).toMatch(/^server-/);
  }
  expect(site.leaked).toEqual([]);
});

test('a stream over the direct port survives the service worker', async ({ open, context }) => {
  const page = await open();
  const answer = stream(page, 'direct port', 'lines=60&interval=20');
  await streaming(page);
  await stopServiceWorkers(await context.newCDPSession(page));
  expect(await answer).toMatchObject({ n: 61, done: true, error: undefined });
});

test('when the requesting tab crashes, its work stops', async ({ open }) => {
  const first = await open();
  for (const way of WAYS) {
    const page = await open();
    stream(page, way, LONG.replace('long', way.replace(' ', '-'))).catch(() => {});
    await streaming(page);
    await ends.crashed!(page);
    const line = `${way.replace(' ', '-')} cancelled`;
    await expect.poll(() => log(first), { timeout: 10_000 }).toContain(line);
  }
});

test('without a tab the answer is 503 in the format of each API, never a network response', async ({
  open,
  context,
  site,
}) => {
  const first = await open();
  const plain = await context.newPage();
  await plain.goto(`${site.origin}/plain.html`);
  await first.close();
  const answers = await plain.evaluate(async () => {
    const paths = ['/api/tags', '/v1/models', '/system_stats', '/webhook/x'];
    return Promise.all(
      paths.map(async (path) => {
        const response = await fetch(path);
        return {
          status: response.status,
          after: response.headers.get('retry-after'),
          body: await response.json(),
        };
      }),
    );
  });
  expect(answers.map(({ status, after }) => [status, after])).toEqual(Array(4).fill([503, '1']));
  expect(answers[0]!.body.error).toContain('No open tab answers');
  expect(answers[1]!.body.error.code).toBe('server_unavailable');
  expect(answers[2]!.body).toMatchObject({ error: { type: 'server_unavailable' }, node_errors: {} });
  expect(answers[3]!.body).toMatchObject({ code: 503 });
  expect(site.leaked).toEqual([]);
});
