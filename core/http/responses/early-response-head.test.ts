import { describe, expect, it, vi } from 'vitest';
import { Deferred } from '#core/base';
import { TestClock } from '#test/support/host/test-clock.ts';
import { type EarlyHeadControls, type EarlyHeadOptions, earlyResponseHead } from './early-response-head.ts';
import { jsonResponse } from './plain-response.ts';

function setUp(more: Partial<EarlyHeadOptions> = {}) {
  const clock = new TestClock();
  const options: EarlyHeadOptions = { clock, within: 1000, contentType: 'application/json', ...more };
  const result = new Deferred<Response>();
  let controls!: EarlyHeadControls;
  const client = new AbortController();
  const response = earlyResponseHead(
    (received) => {
      controls = received;
      return result.promise;
    },
    options,
    client.signal,
  );
  const isPending = async () => (await Promise.race([response, Promise.resolve('pending')])) === 'pending';
  return { clock, result, controls, client, response, isPending };
}

describe('a result in time', () => {
  it('is the response, and leaves no timer', async () => {
    const { clock, result, response } = setUp();
    const own = jsonResponse({ a: 1 }, 404);
    result.resolve(own);
    expect(await response).toBe(own);
    expect(clock.pending).toBe(0);
  });

  it('is the response of `failure` when the work fails', async () => {
    const { clock, result, response } = setUp({
      failure: (error) => new Response(String(error), { status: 418 }),
    });
    result.reject(new Error('boom'));
    expect([(await response).status, await (await response).text()]).toEqual([418, 'Error: boom']);
    expect(clock.pending).toBe(0);
  });

  it('rejects without a `failure`', async () => {
    const { clock, result, response } = setUp();
    result.reject(new Error('boom'));
    await expect(response).rejects.toThrow('boom');
    expect(clock.pending).toBe(0);
  });
});

describe('when the head is sent', () => {
  it('waits until the limit and not longer', async () => {
    const { clock, response, isPending } = setUp({ headers: { vary: 'origin' } });
    await clock.advance(999);
    expect(await isPending()).toBe(true);
    await clock.advance(1);
    const { status, headers } = await response;
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'application/json',
      'origin',
    ]);
  });

  it('waits for ever without a limit', async () => {
    const { clock, isPending } = setUp({ within: undefined });
    await clock.advance(1_000_000);
    expect(await isPending()).toBe(true);
  });

  it('is shortened by the work, which cannot lengthen it', async () => {
    const shortened = setUp();
    shortened.controls.sendWithin(10);
    await shortened.clock.advance(10);
    expect((await shortened.response).status).toBe(200);
    const longer = setUp();
    longer.controls.sendWithin(undefined);
    longer.controls.sendWithin(5000);
    await longer.clock.advance(1000);
    expect((await longer.response).status).toBe(200);
    expect(longer.clock.pending).toBe(0);
  });
});

describe('behind an early head', () => {
  const early = async (more: Partial<EarlyHeadOptions> = {}) => {
    const parts = setUp(more);
    await parts.clock.advance(1000);
    return { ...parts, body: await parts.response };
  };

  it('the body of the result follows byte by byte, whatever its head says', async () => {
    const { result, body } = await early();
    result.resolve(new Response(new Uint8Array([0xef, 0xbb, 0xbf, 0xff, 0]), { status: 500 }));
    expect([...new Uint8Array(await body.arrayBuffer())]).toEqual([0xef, 0xbb, 0xbf, 0xff, 0]);
  });

  it('a result without a body ends the body', async () => {
    const { result, body } = await early();
    result.resolve(new Response(null, { status: 204 }));
    expect(await body.text()).toBe('');
  });

  it.each([
    [399, 'text'],
    [400, '<text>'],
  ])('a body with status %i is written as %s', async (status, written) => {
    const { result, body } = await early({ lateError: (text) => `<${text}>` });
    result.resolve(new Response('text', { status }));
    expect(await body.text()).toBe(written);
  });

  it('an error of the work goes through `failure` and `lateError`', async () => {
    const { result, body } = await early({
      failure: (error) => new Response(String(error), { status: 500 }),
      lateError: (text) => `<${text}>`,
    });
    result.reject(new Error('boom'));
    expect(await body.text()).toBe('<Error: boom>');
  });

  it('a body that breaks off is the last error text, or breaks off too', async () => {
    const broken = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) }));
    const reported = await early({ lateError: (text) => `<${text}>` });
    reported.result.resolve(broken());
    expect(await reported.body.text()).toBe('<Error: cut>');
    const silent = await early();
    silent.result.resolve(broken());
    await expect(silent.body.text()).rejects.toThrow('cut');
  });

  it('a reader that cancels aborts the work, and the body that still comes is cancelled', async () => {
    const { result, controls, body } = await early();
    await body.body!.cancel('enough');
    expect([controls.signal.aborted, controls.signal.reason]).toEqual([true, 'enough']);
    const cancel = vi.fn();
    result.resolve(new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1)), cancel })));
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
  });
});

describe('the signal of the work', () => {
  it("follows the client's", () => {
    const { client, controls } = setUp();
    expect(controls.signal.aborted).toBe(false);
    client.abort('gone');
    expect(controls.signal.reason).toBe('gone');
  });

  it('is aborted by `stop`, with a reason of its own where there is none', () => {
    const { controls } = setUp();
    controls.stop();
    expect(controls.signal.reason).toMatchObject({ name: 'AbortError', message: 'the client has left' });
  });

  it('is there without a client signal', async () => {
    let aborted: boolean | undefined;
    const options: EarlyHeadOptions = { clock: new TestClock(), within: 1, contentType: 'text/plain' };
    await earlyResponseHead(async ({ signal, stop }) => {
      stop('x');
      aborted = signal.aborted;
      return new Response();
    }, options);
    expect(aborted).toBe(true);
  });
});
