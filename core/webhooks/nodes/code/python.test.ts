import { describe, expect, it } from 'vitest';
import { inlinePython } from '#test/support/host/inline-python.ts';
import { openTestEngine } from '#test/support/webhooks/execution-engine.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';

const ITEMS = [{ a: 1 }, { a: 2 }];
const node = (pythonCode: string, more: object = {}) => ({
  type: 'code',
  typeVersion: 2,
  parameters: { language: 'pythonNative', pythonCode, ...more },
});
const EACH = { mode: 'runOnceForEachItem' };

describe('Python in an execution', () => {
  it('reads and returns items in both modes and both languages', async () => {
    const engine = await openTestEngine({ python: inlinePython });
    const run = (code: string, more: object = {}) => runFirstOutput(engine, node(code, more), ITEMS);
    expect(await run('return [{"json": {"b": item["json"]["a"] * 2}} for item in _items]')).toEqual([
      { b: 2 },
      { b: 4 },
    ]);
    expect(
      await run('for item in _input.all():\n  item.json.c = 1\nreturn _input.all()', { language: 'python' }),
    ).toEqual([
      { a: 1, c: 1 },
      { a: 2, c: 1 },
    ]);
    expect(await run('return {"n": len(_("Start").all())}')).toEqual([{ n: 2 }]);
    expect(
      await run('return None if _item["json"]["a"] == 1 else {"kept": _item["json"]["a"]}', EACH),
    ).toEqual([{ kept: 2 }]);
    expect(await run('return 5')).toEqual({ error: "Code doesn't return items properly" });
    expect(await run('raise ValueError("bad")')).toEqual({ error: 'bad' });
    const { items } = await runWebhookNode(engine, node('return {"x": 1}', EACH), ITEMS);
    expect(items[0]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
    const failing = {
      ...node('return {"x": 1 / (_item["json"]["a"] - 1)}', EACH),
      onError: 'continueRegularOutput' as const,
    };
    expect(await runFirstOutput(engine, failing, ITEMS)).toEqual([{ error: 'division by zero' }]);
  });

  it('keeps the files of items that it returns', async () => {
    const engine = await openTestEngine({ python: inlinePython });
    const file = { mimeType: 'text/plain', data: 'YQ==' };
    const { items } = await runWebhookNode(
      engine,
      node('print(_items[0]["binary"]["data"]["mimeType"])\nreturn _items'),
      [{ json: {}, binary: { data: file } }] as never,
    );
    expect(items[0]).toMatchObject([{ json: {}, binary: { data: file } }]);
  });
});

it('says that Python is not installed', async () => {
  expect(await runFirstOutput(await openTestEngine(), node('return []'), ITEMS)).toEqual({
    error: expect.stringMatching(/^Python runner unavailable: the package pyodide is not installed here/),
  });
});
