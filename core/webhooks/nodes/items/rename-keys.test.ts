import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine());
});
afterAll(() => engine.close());

const renameKeys = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, { type: 'renameKeys', parameters }, input);

describe('Rename Keys', () => {
  it('renames by path and by pattern', async () => {
    const keys = {
      key: [
        { currentKey: 'a.b', newKey: 'c' },
        { currentKey: 'no', newKey: 'x' },
      ],
    };
    expect(await renameKeys({ keys }, [{ a: { b: 1, d: 2 } }])).toEqual([{ a: { d: 2 }, c: 1 }]);
    const replacements = [{ searchRegex: '^(.)X', replaceRegex: '$1_', options: { caseInsensitive: true } }];
    const additionalOptions = { regexReplacement: { replacements } };
    expect(await renameKeys({ additionalOptions }, [{ ax1: { bX: [{ cx: 1 }] }, d: 1 }])).toEqual([
      { a_1: { b_: [{ c_: 1 }] }, d: 1 },
    ]);
    const flat = { regexReplacement: { replacements: [{ ...replacements[0], options: { depth: 0 } }] } };
    expect(await renameKeys({ additionalOptions: flat }, [{ aX: { bX: 1 } }])).toEqual([{ a_: { bX: 1 } }]);
  });

  it('never reaches prototypes', async () => {
    const keys = { key: [{ currentKey: 'a', newKey: '__proto__.polluted' }] };
    await renameKeys({ keys }, [{ a: 1 }]);
    expect(({} as JsonObject).polluted).toBeUndefined();
  });
});
