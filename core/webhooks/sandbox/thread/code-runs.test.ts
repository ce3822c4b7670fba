import { afterEach, describe, expect, it, vi } from 'vitest';
import { quickJsModule } from '#test/support/host/inline-sandbox.ts';
import type { CodeScript } from '../code-script.ts';
import type { FromThread } from '../protocol.ts';
import { CodeRuns } from './code-runs.ts';

const script = (code: string, changes: Partial<CodeScript> = {}): CodeScript => ({
  code,
  mode: 'allItems',
  shared: {
    scope: '{"execution":{},"workflow":{},"parameters":{}}',
    nodes: {},
    inputs: ['[]'],
    timezone: 'UTC',
    now: 0,
  },
  items: [{ index: 0, json: '{}', binary: '{}', origins: {} }],
  continueOnFail: false,
  staticData: { global: '{}', node: '{}' },
  ...changes,
});
const LIMITS = { time: 1000 };
type Call = Extract<FromThread, { type: 'call' }>;

let cancelAll = () => {};
afterEach(() => cancelAll());

async function open() {
  const posted: FromThread[] = [];
  const runs = new CodeRuns(await quickJsModule(), (message) => void posted.push(message));
  cancelAll = () => {
    for (let id = 1; id < 20; id++) runs.cancel(id);
  };
  const result = (id: number) =>
    vi.waitFor(
      () => {
        const message = posted.find(
          (candidate) => 'id' in candidate && candidate.id === id && /^(done|failed)$/.test(candidate.type),
        );
        if (message?.type === 'done') return message.value;
        if (message?.type === 'failed') return message.failure;
        throw new Error(`run ${id} has no result`);
      },
      { timeout: 5000 },
    );
  const calls = (count: number) =>
    vi.waitFor(() => {
      const all = posted.filter(({ type }) => type === 'call') as Call[];
      expect(all).toHaveLength(count);
      return all;
    });
  return { runs, posted, result, calls };
}

describe('a run of code', () => {
  it('returns what the code returned', async () => {
    const { runs, result } = await open();
    runs.run(1, script('return { a: [1, undefined], b: () => 1 }'), LIMITS);
    expect(await result(1)).toEqual({ outcomes: [{ json: '{"a":[1,null]}' }] });
  });

  it('returns the parts of the static data that changed, and custom data', async () => {
    const { runs, result } = await open();
    const code = "$getWorkflowStaticData('node').n = 1; $execution.customData.set('k', 2)";
    runs.run(1, script(code, { staticData: { global: '{"g":1}', node: '{}' } }), LIMITS);
    expect(await result(1)).toEqual({
      outcomes: [{}],
      staticData: { node: '{"n":1}' },
      customData: { k: '2' },
    });
  });

  it('reports code that does not parse', async () => {
    const { runs, result } = await open();
    runs.run(1, script('return ('), LIMITS);
    expect(await result(1)).toMatchObject({ kind: 'thrown', name: 'SyntaxError' });
  });

  it('cannot leave the function that it is the body of', async () => {
    const { runs, result } = await open();
    runs.run(1, script('}); globalThis.x = 1; (async function () {'), LIMITS);
    // The script has no value that could be called, or one whose run has the globals of its own sandbox alone.
    expect(await result(1)).not.toHaveProperty('crashed');
    runs.run(2, script('return typeof x'), LIMITS);
    expect(await result(2)).toEqual({ outcomes: [{ json: '"undefined"' }] });
  });

  it('fails when it waits for nothing', async () => {
    const { runs, result } = await open();
    runs.run(1, script('await new Promise(() => {})'), LIMITS);
    expect(await result(1)).toEqual({
      kind: 'thrown',
      message: 'The code waits for something that cannot come',
    });
  });

  it('calls the server and continues with its answer', async () => {
    const { runs, result, calls } = await open();
    runs.run(1, script("return await this.helpers.httpRequest('http://a.test/')"), LIMITS);
    const [call] = await calls(1);
    expect(call).toMatchObject({ id: 1, method: 'httpRequest', args: [{ url: 'http://a.test/' }] });
    runs.answer({ type: 'answer', id: 1, call: call!.call, value: { value: 'hello' } });
    expect(await result(1)).toEqual({ outcomes: [{ json: '"hello"' }] });
  });

  it('rejects a call by the error of the server', async () => {
    const { runs, result, calls } = await open();
    const code = "try { await helpers.httpRequest('x') } catch (error) { return error.message }";
    runs.run(1, script(code), LIMITS);
    const [call] = await calls(1);
    runs.answer({ type: 'answer', id: 1, call: call!.call, error: 'no such host' });
    expect(await result(1)).toEqual({ outcomes: [{ json: '"no such host"' }] });
  });

  it('ignores an answer for a run that has ended', async () => {
    const { runs, posted, result } = await open();
    runs.run(1, script("helpers.httpRequest('x'); return 1"), LIMITS);
    await result(1);
    const { length } = posted;
    runs.answer({ type: 'answer', id: 1, call: 1, value: 0 });
    expect(posted).toHaveLength(length);
  });

  it('lets others run while it waits', async () => {
    const { runs, result } = await open();
    runs.run(1, script('await new Promise((done) => setTimeout(done, 200)); return 1'), LIMITS);
    runs.run(2, script('return 2'), LIMITS);
    expect(await result(2)).toEqual({ outcomes: [{ json: '2' }] });
    expect(await result(1)).toEqual({ outcomes: [{ json: '1' }] });
  });

  it('may wait for longer than it may compute', async () => {
    const { runs, result } = await open();
    runs.run(1, script('await new Promise((done) => setTimeout(done, 300)); return 1'), { time: 100 });
    expect(await result(1)).toEqual({ outcomes: [{ json: '1' }] });
  });

  it('ends without a result when it is cancelled', async () => {
    const { runs, posted } = await open();
    runs.run(1, script('return 1'), LIMITS);
    runs.cancel(1);
    runs.run(2, script('setTimeout(() => console.log(1), 20); await new Promise(() => {})'), LIMITS);
    await new Promise((done) => setTimeout(done, 10));
    runs.cancel(2);
    await new Promise((done) => setTimeout(done, 60));
    expect(posted).toEqual([]);
  });

  it('is refused more than 1000 calls at once', async () => {
    const { runs, result, calls } = await open();
    const code =
      "for (let n = 0; n < 1001; n++) helpers.request('x').catch((error) => console.log(error.message));";
    runs.run(1, script(`${code} await new Promise((done) => setTimeout(done, 5))`), { time: 5000 });
    await calls(1000);
    await result(1);
    expect((await open()).posted).toEqual([]);
  });

  it('uses an instance again, without what the last run left in it', async () => {
    const { runs, result } = await open();
    for (let id = 1; id <= 3; id++) {
      runs.run(id, script('globalThis.count = (globalThis.count ?? 0) + 1; return count'), LIMITS);
      expect(await result(id)).toEqual({ outcomes: [{ json: '1' }] });
    }
  });
});
