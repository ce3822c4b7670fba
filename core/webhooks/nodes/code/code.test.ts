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

describe.each(['python', 'pythonNative', 'Python'])('the language %s', (language) => {
  const python = { language, pythonCode: 'return []' };

  it('runs Python', async () => {
    const request = { language: 'python', code: 'return []' };
    expect((await run([{ value: [] }], python)).requests).toEqual([{ ...request, mode: 'allItems' }]);
    expect((await run([], { ...python, ...EACH })).requests).toEqual([{ ...request, mode: 'eachItem' }]);
  });

  it('calls objects dictionaries', async () => {
    await expect(run([{ value: [{ json: 1 }] }], python)).rejects.toThrow(
      "A 'json' property isn't a dictionary [item 0]",
    );
    await expect(run([{ value: 5 }], { ...python, ...EACH })).rejects.toThrow(
      "A 'json' property isn't a dictionary [item 0]",
    );
    await expect(run([{ value: 5 }], python)).rejects.toMatchObject({
      description: 'Please return an array of dictionaries, one for each item you would like to output.',
    });
  });

  it('makes one item of an error, in place of all others', async () => {
    const outcomes = [{ value: {} }, THROWN];
    expect((await run(outcomes, { ...python, ...EACH }, true)).output).toEqual([
      [{ json: { error: 'thrown' } }],
    ]);
  });
});
