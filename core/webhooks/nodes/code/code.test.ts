import { describe, expect, it } from 'vitest';
import type { CodeReturn, CodeRunRequest } from '#core/webhooks/node-api/node-context.ts';
import { CodeError, NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { JsonObject } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { code } from './code.ts';

/** Runs the node over code with these outcomes. */
async function run(outcomes: CodeReturn[], parameters: JsonObject = {}, continueOnFail = false) {
  const requests: CodeRunRequest[] = [];
  const runCode = async (request: CodeRunRequest) => {
    requests.push(request);
    return outcomes;
  };
  const more = { runCode, continueOnFail };
  const output = await code.execute(parameterContext(code, parameters, { version: 2, more }));
  return { output, requests };
}

const EACH = { mode: 'runOnceForEachItem' };
const THROWN = { error: new CodeError('thrown') };
const STOPPED = { error: new NodeError('stopped') };

it.each([
  [{ jsCode: 'return 1' }, { code: 'return 1', mode: 'allItems' }],
  [
    { jsCode: '={{ $json.code }}', ...EACH },
    { code: '={{ $json.code }}', mode: 'eachItem' },
  ],
  [{}, { code: '', mode: 'allItems' }],
])('with %j runs %j', async (parameters, request) => {
  expect((await run([{ value: null }], parameters)).requests).toEqual([request]);
});

describe('once for all items', () => {
  it('outputs the items that the code returned', async () => {
    expect((await run([{ value: [{ a: 1 }] }])).output).toEqual([[{ json: { a: 1 } }]]);
    expect((await run([])).output).toEqual([[]]);
  });

  it('makes an item only of an error that the code threw', async () => {
    await expect(run([THROWN])).rejects.toBe(THROWN.error);
    expect((await run([THROWN], {}, true)).output).toEqual([[{ json: { error: 'thrown' } }]]);
    await expect(run([STOPPED], {}, true)).rejects.toBe(STOPPED.error);
  });
});

describe('once for each item', () => {
  it('pairs each item with its input, also after one that returned nothing', async () => {
    const { output } = await run(
      [{ value: { a: 1 } }, { value: null }, { value: { json: {}, pairedItem: 7 } }],
      EACH,
    );
    expect(output).toEqual([
      [
        { json: { a: 1 }, pairedItem: { item: 0 } },
        { json: {}, pairedItem: { item: 2 } },
      ],
    ]);
  });

  it('makes an item only of an error that the code threw', async () => {
    await expect(run([{ value: {} }, THROWN], EACH)).rejects.toThrow('thrown');
    const { output } = await run([THROWN, { value: {} }], EACH, true);
    expect(output).toMatchObject([[{ json: { error: 'thrown' } }, { json: {}, pairedItem: { item: 1 } }]]);
    await expect(run([STOPPED], EACH, true)).rejects.toBe(STOPPED.error);
  });
});

it.each(['python', 'pythonNative', 'Python'])('refuses the language %s', async (language) => {
  await expect(run([], { language, pythonCode: 'return []' })).rejects.toThrow('Python runner unavailable');
});
