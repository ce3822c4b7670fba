/** First visits, reloads, updates, and unusual browsers and sites. */
import { expect, fetchJson, log, openTab, stream, streaming, test, type Way } from '../support/fixtures.ts';

const WAYS: Way[] = ['service worker', 'direct port'];
const server = async (page: Parameters<typeof fetchJson>[0], way: Way = 'direct port') =>
  (await fetchJson<{ server: string }>(page, way, '/api/version')).server;

test('the first visit is answered as soon as start() settles', async ({ open, site }) => {
  const page = await open();
  expect(await page.evaluate(() => window.tabd.state)).toMatchObject({
    phase: 'ready',
    leading: true,
    serviceWorker: 'controlling',
  });
  expect(await server(page, 'service worker')).toMatch(/^server-/);
  expect(site.leaked).toEqual([]);
});

test('after a hard reload the service worker controls the page again without another reload', async ({
  open,
  context,
  site,
}) => {
  const page = await open();
  const session = await context.newCDPSession(page);
  const loaded = page.waitForEvent('load');
  await session.send('Page.reload', { ignoreCache: true });
  await loaded;
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
  await page.evaluate(() => window.startTabd());
  expect(await page.evaluate(() => window.tabd.state.serviceWorker)).toBe('controlling');
  for (const way of WAYS) expect(await server(page, way)).toMatch(/^server-/);
  expect(site.leaked).toEqual([]);
});

test('ten tabs share a server, and each of them can take over', async ({ open }) => {
  const tabs = [];
  for (let n = 0; n < 10; n++) tabs.push(await open());
  const servers = await Promise.all(tabs.map((tab) => server(tab, 'service worker')));
  expect(new Set(servers).size).toBe(1);
  const leading = await Promise.all(tabs.map((tab) => tab.evaluate(() => window.tabd.state.leading)));
  expect(leading.filter(Boolean)).toHaveLength(1);
  for (const tab of tabs.slice(0, 9)) await tab.close();
  expect(await server(tabs[9]!, 'service worker')).not.toBe(servers[0]);
});

test('an update of the service worker waits for running answers', async ({ open, site }) => {
  const page = await open();
  const before = await server(page);
  const answer = stream(page, 'service worker', 'lines=80&interval=50');
  const direct = stream(page, 'direct port', 'lines=80&interval=50');
  await streaming(page);
  site.version = 'new';
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
  });
  await page.waitForFunction(() => window.tabd.state.update === 'waiting');
  expect(await answer).toMatchObject({ n: 81, done: true, error: undefined });
  expect(await direct).toMatchObject({ n: 81, done: true, error: undefined });
  await page.waitForFunction(() => window.tabd.state.update === 'active');
  expect(await server(page, 'service worker')).toBe(before);
});

test('an older build hands over to a newer one as soon as no request runs', async ({
  open,
  context,
  site,
}) => {
  const old = await open();
  const answer = stream(old, 'direct port', 'id=kept&lines=60&interval=50');
  await streaming(old);
  site.version = 'new';
  const fresh = await openTab(context, site, '/other.html', { serviceWorker: false });
  const before = await server(old);
  expect(await server(fresh)).toBe(before);
  expect(await answer).toMatchObject({ n: 61, done: true, error: undefined });
  await fresh.waitForFunction(() => window.tabd.state.leading);
  expect(await server(old)).not.toBe(before);
  expect(await server(fresh)).toBe(await server(old));
  // The new build does not hand the server back.
  expect(await old.evaluate(() => window.tabd.state.leading)).toBe(false);
});

test('a window without service workers reports that, and the direct port answers in every tab', async ({
  context,
  site,
}) => {
  await context.addInitScript(() => {
    delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker;
  });
  const first = await openTab(context, site);
  const second = await openTab(context, site);
  for (const page of [first, second]) {
    const state = await page.evaluate(() => window.tabd.state);
    expect(state).toMatchObject({ phase: 'ready', serviceWorker: 'unavailable' });
    expect(state.serviceWorkerReason).toContain('private');
    expect(await stream(page, 'direct port', 'lines=100&interval=1')).toMatchObject({ n: 101, done: true });
  }
  const upload = await second.evaluate(async () => {
    const body = new Uint8Array(20 * 2 ** 20);
    return (await window.tabd.fetch('/api/blobs/sha256:0', { method: 'POST', body })).json();
  });
  expect(upload).toEqual({ bytes: 20 * 2 ** 20 });
  const answer = stream(second, 'direct port', 'id=long&lines=100000&interval=10');
  await streaming(second);
  await first.close();
  expect((await answer).error).toContain('gone');
  expect(await server(second)).toMatch(/^server-/);
});

test('start({ patchFetch }) sends plain fetch down the direct port', async ({ context, site }) => {
  const page = await openTab(context, site, '/index.html', { serviceWorker: false, patchFetch: true });
  const seen = await page.evaluate(async () => {
    const answer = await (await fetch('/api/version')).json();
    const other = await (await fetch('/backend/mine')).json();
    await window.tabd.stop();
    return { answer, other, after: (await fetch('/api/version')).status };
  });
  expect(seen.answer.server).toMatch(/^server-/);
  expect(seen.other).toEqual({ backend: '/backend/mine', method: 'GET' });
  expect(seen.after).toBe(404);
});

test('clients in the page with the ports of local servers are answered when this is enabled', async ({
  open,
}) => {
  const page = await open('/index.html', { intercept: true });
  for (const way of WAYS) {
    for (const [host, listener] of [
      ['localhost:11434', 'local-models'],
      ['127.0.0.1:8188', 'image-workflows'],
      ['localhost:5678', 'webhooks'],
    ]) {
      const echo = await fetchJson<{ headers: Record<string, string>; context: object }>(
        page,
        way,
        `http://${host}/api/show`,
        { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
      );
      expect(echo.headers.host).toBe(host);
      expect(echo.context).toMatchObject({ listener });
    }
  }
});

test('states are reported from the first one on, with the progress of downloads, to options and to listeners', async ({
  context,
  site,
}) => {
  const page = await context.newPage();
  await page.goto(`${site.origin}/index.html`);
  const seen = await page.evaluate(async () => {
    const states: string[] = [];
    const downloads: object[] = [];
    const heard: object[] = [];
    await window.startTabd({
      models: ['here', 'absent'],
      onState: ({ phase, models }) => states.push(`${phase} ${models.absent?.phase ?? '-'}`),
      onProgress: (progress) => downloads.push(progress),
    });
    let changes = 0;
    window.tabd.addEventListener('change', () => changes++);
    window.tabd.addEventListener('progress', ({ detail }) => heard.push(detail));
    await window.tabd.modelsReady;
    const { models } = window.tabd.state;
    await window.tabd.stop();
    return { states: [...new Set(states)], downloads, heard, changes, models };
  });
  expect(seen.states).toEqual([
    'starting -',
    'ready -',
    'ready checking',
    'ready downloading',
    'ready ready',
    'stopped ready',
  ]);
  expect(seen.downloads).toEqual([
    { model: 'absent', status: 'pulling a', completed: 4, total: 10 },
    { model: 'absent', status: 'success', completed: 4, total: 10 },
  ]);
  expect(seen.heard).toEqual(seen.downloads);
  expect(seen.changes).toBeGreaterThan(2);
  expect(seen.models).toEqual({ here: { phase: 'ready' }, absent: { phase: 'ready' } });
});

test("a site's own backend and service worker keep working", async ({ context, site }) => {
  const page = await context.newPage();
  await page.goto(`${site.origin}/index.html`);
  await page.evaluate(async () => {
    const serviceWorker = await navigator.serviceWorker.register('/site-sw.js');
    await window.startTabd({ serviceWorker, apis: ['local-models'], prefix: '/ai', reach: 'listed' });
  });
  expect(await page.evaluate(() => window.tabd.state.serviceWorker)).toBe('controlling');
  for (const way of WAYS) {
    expect(await fetchJson(page, way, '/ai/api/version')).toMatchObject({
      server: expect.stringMatching(/^server-/),
    });
    expect(await fetchJson(page, way, '/api/own')).toEqual({ backend: '/api/own', method: 'GET' });
    expect(await fetchJson(page, way, '/backend/x', { method: 'POST', body: '1' })).toEqual({
      backend: '/backend/x',
      method: 'POST',
    });
    const echo = await fetchJson<{ url: string }>(page, way, '/ai/api/show?x', { method: 'POST', body: 'b' });
    expect(echo.url).toBe(`${site.origin}/api/show?x`);
  }
  const text = await page.evaluate(async () => (await fetch('/from-site-worker')).text());
  expect(text).toBe("the site's own service worker");
  // tabd is switched off here, so the request reaches the site's server, which lacks the path.
  const others = await page.evaluate(async () =>
    Promise.all(
      ['/system_stats', '/webhook/x', '/ai/system_stats', '/api/version'].map(
        async (path) => (await fetch(path)).status,
      ),
    ),
  );
  expect(others).toEqual([404, 404, 404, 404]);
  expect(site.requests).toContain('GET /api/version');
});

test('two installations on one origin are independent', async ({ context, site }) => {
  const first = await openTab(context, site, '/index.html', { serviceWorker: false, scope: '/one/' });
  const second = await openTab(context, site, '/index.html', { serviceWorker: false, scope: '/two/' });
  expect(await first.evaluate(() => window.tabd.state.leading)).toBe(true);
  expect(await second.evaluate(() => window.tabd.state.leading)).toBe(true);
  expect(await log(first)).toEqual([]);
});

test('a missing feature of the browser is a typed error', async ({ context, site }) => {
  for (const [code, lack] of [
    ['no-locks', 'delete Navigator.prototype.locks'],
    ['no-workers', 'delete window.Worker'],
  ] as const) {
    const page = await context.newPage();
    await page.goto(`${site.origin}/index.html`);
    await page.evaluate(lack);
    const failure = await page.evaluate(() =>
      window.startTabd({ serviceWorker: false }).catch(({ name, code }) => ({ name, code })),
    );
    expect(failure).toEqual({ name: 'StartError', code });
  }
});

test('a server worker that cannot be loaded is a typed error', async ({ context, site }) => {
  const page = await context.newPage();
  await page.goto(`${site.origin}/index.html`);
  const failure = await page.evaluate(() =>
    window.startTabd({ worker: '/missing.js', serviceWorker: false }).catch((cause) => ({
      name: cause.name,
      code: cause.code,
      message: cause.message,
    })),
  );
  expect(failure).toMatchObject({ name: 'StartError', code: 'worker-not-found' });
});
