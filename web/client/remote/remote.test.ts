import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ConnectOptions, connect, type Remote } from './remote.ts';
import { type ShareOptions, type ShareRequest, share } from './share.ts';

const HOST = 'https://host.example';
const GUEST = 'https://guest.example';

beforeEach(() => {
  vi.stubGlobal('navigator', { userAgent: 'test' });
  vi.stubGlobal('location', { origin: GUEST });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** A page that shares tabd, with a function by which pages of other origins connect to it. */
function hostPage(options: ShareOptions = {}, framed = false, stored = new Map<string, string>()) {
  const window = new EventTarget();
  const requests: string[] = [];
  let cancelled = false;
  const sharing = share(
    {
      scope: '/app/',
      async fetch(input) {
        const { method, url, headers, signal } = input as Request;
        requests.push(`${method} ${url}`);
        if (!url.endsWith('/api/generate')) {
          const text = method === 'GET' ? '' : await (input as Request).text();
          return Response.json({ text, mine: headers.get('x-mine') });
        }
        signal.addEventListener('abort', () => {
          cancelled = true;
        });
        let lines = 0;
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            controller.enqueue(new TextEncoder().encode(`${++lines}\n`));
          },
          cancel() {
            cancelled = true;
          },
        });
        return new Response(body);
      },
    },
    options,
    {
      window: window as never,
      origin: HOST,
      framed,
      storage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => void stored.set(key, value),
      },
    },
  );
  /** The target for `connect`. `targetOrigin` is the origin for which the message is intended. */
  const target = (from: string) =>
    ({
      closed: false,
      postMessage(data: unknown, targetOrigin: string, ports: MessagePort[]) {
        if (targetOrigin !== HOST) return;
        window.dispatchEvent(new MessageEvent('message', { data, origin: from, ports: ports as never }));
      },
    }) as unknown as Window;
  const guest = (more: Partial<ConnectOptions> = {}, from = GUEST) =>
    connect(target(from), { origin: HOST, timeout: 300, ...more });
  return { guest, sharing, requests, stored, window, wasCancelled: () => cancelled };
}

const text = async (remote: Remote, ...request: Parameters<Remote['fetch']>) => {
  const response = await remote.fetch(...request);
  return [response.status, await response.json()];
};

describe('permission', () => {
  test('is asked once for each origin, stored, and revoked with running requests', async () => {
    const questions: ShareRequest[] = [];
    const { guest, sharing } = hostPage({
      ask: (request) => {
        questions.push(request);
        return true;
      },
    });
    const [first, second] = await Promise.all([guest(), guest()]);
    expect(questions).toEqual([{ origin: GUEST, apis: ['local-models'], manage: false }]);
    expect(sharing.grants()).toEqual([{ origin: GUEST, apis: ['local-models'], manage: false }]);
    second.close();
    const response = await first.fetch('/api/generate', { method: 'POST', body: '{}' });
    const reader = response.body!.getReader();
    await reader.read();
    sharing.revoke(GUEST);
    await expect(
      (async () => {
        for (;;) if ((await reader.read()).done) return;
      })(),
    ).rejects.toThrow('taken back');
    expect((await first.closed).message).toContain('taken back');
    await guest();
    expect(questions).toHaveLength(2);
  });

  test('asks again for more rights only', async () => {
    const questions: ShareRequest[] = [];
    const { guest } = hostPage({
      ask: (request) => {
        questions.push(request);
        return true;
      },
    });
    await guest({ apis: ['local-models', 'webhooks'] });
    await guest({ apis: ['webhooks'] });
    await guest({ apis: ['webhooks'], manage: true });
    expect(questions.map(({ apis, manage }) => [apis.join(), manage])).toEqual([
      ['local-models,webhooks', false],
      ['webhooks', true],
    ]);
  });

  test('granted once is not stored; a refusal is not asked again', async () => {
    const answers: (boolean | 'once')[] = ['once', false];
    const { guest, sharing, stored } = hostPage({ ask: () => answers.shift() ?? true });
    await guest();
    expect(stored.size).toBe(0);
    sharing.revoke(GUEST);
    await expect(guest()).rejects.toMatchObject({ code: 'refused' });
    await expect(guest()).rejects.toThrow(`${HOST} does not let ${GUEST} use tabd`);
  });

  test.each([
    ['another origin', 'https://other.example'],
    ['a frame without an origin', 'null'],
  ])('%s is refused without a question', async (_, origin) => {
    const { guest } = hostPage({ origins: [GUEST, 'null'] });
    await guest();
    await expect(guest({}, origin)).rejects.toMatchObject({ name: 'RemoteError', code: 'refused' });
    await expect(guest({ manage: true })).rejects.toMatchObject({ code: 'refused' });
  });

  test('is asked for in a window only, and then holds in frames', async () => {
    const stored = new Map<string, string>();
    const framed = hostPage({ ask: () => true }, true, stored);
    await expect(framed.guest()).rejects.toThrow('open it in a window of its own');
    await hostPage({ ask: () => true }, false, stored).guest();
    await framed.guest();
    await hostPage({ ask: () => true, askInFrames: true }, true).guest();
  });

  test('does not cover an API that the site has not enabled', async () => {
    const { guest } = hostPage({ apis: ['webhooks'], origins: [GUEST] });
    await expect(guest()).rejects.toThrow('nothing that was asked for is switched on');
    expect((await guest({ apis: ['webhooks', 'local-models'] })).permission.apis).toEqual(['webhooks']);
  });
});

describe('requests', () => {
  test('arrive with body and headers below the prefix of the site', async () => {
    const { guest, requests } = hostPage({ prefix: '/ai', origins: [GUEST] });
    const remote = await guest();
    const init = { method: 'POST', body: 'grüße', headers: { 'x-mine': 'yes' } };
    expect(await text(remote, '/v1/chat/completions', init)).toEqual([200, { text: 'grüße', mine: 'yes' }]);
    expect(await text(remote, `${HOST}/ai/api/tags`)).toEqual([200, { text: '', mine: null }]);
    expect(await text(remote, new Request(`${HOST}/ai/api/show`, init))).toEqual([
      200,
      { text: 'grüße', mine: 'yes' },
    ]);
    expect(requests).toEqual([
      `POST ${HOST}/ai/v1/chat/completions`,
      `GET ${HOST}/ai/api/tags`,
      `POST ${HOST}/ai/api/show`,
    ]);
    await expect(remote.fetch('https://elsewhere.example/v1/models')).rejects.toThrow(TypeError);
  });

  test.each([
    ['DELETE', '/api/delete', 'local-models, but not change'],
    ['POST', '/api/pull', 'local-models, but not change'],
    ['POST', '/api/blobs/sha256:0', 'local-models, but not change'],
    ['GET', '/rest/workflows', 'webhooks, but not change'],
    ['POST', '/queue', 'may not use image-workflows'],
    ['GET', '/account', '/account is no path of tabd'],
    ['GET', '/../account', '/account is no path of tabd'],
  ])('%s %s get 403 and do not reach tabd', async (method, path, why) => {
    const { guest, requests } = hostPage({ origins: [GUEST] });
    const remote = await guest({ apis: ['local-models', 'webhooks'] });
    const response = await remote.fetch(path, { method });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain(why);
    expect(requests).toEqual([]);
  });

  test('with manage change the installation', async () => {
    const { guest, requests } = hostPage({ ask: () => true });
    const remote = await guest({ manage: true });
    expect((await remote.fetch('/api/delete', { method: 'DELETE' })).status).toBe(200);
    expect(requests).toEqual([`DELETE ${HOST}/api/delete`]);
  });

  test('are cancelled by an abort', async () => {
    const { guest, wasCancelled } = hostPage({ origins: [GUEST] });
    const remote = await guest();
    const left = new AbortController();
    const response = await remote.fetch('/api/generate', { method: 'POST', signal: left.signal });
    const reader = response.body!.getReader();
    await reader.read();
    left.abort();
    await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' });
    await vi.waitFor(() => expect(wasCancelled()).toBe(true));
  });
});

test('reports a page that does not share, and a host that was closed', async () => {
  const { guest, sharing, window } = hostPage({ origins: [GUEST] });
  const remote = await guest();
  window.dispatchEvent(new Event('pagehide'));
  expect((await remote.closed).message).toContain('was left');
  sharing.close();
  await expect(guest()).rejects.toMatchObject({ code: 'no-answer' });
  const reason = new Error('cancelled');
  await expect(guest({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
