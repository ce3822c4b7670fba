import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../../engine/engine.ts';

let engine: Engine;
/** An engine with a short time limit for code. */
let impatient: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine());
  ({ engine: impatient } = await openEngine({}, { limits: { code: { time: 700 } } }));
});
afterAll(async () => {
  await engine.close();
  await impatient.close();
});

const PEOPLE = [
  { id: 1, name: 'Ada' },
  { id: 2, name: 'Bo' },
  { id: 3, name: 'Cy' },
];
const PAID = [
  { id: 3, amount: 5 },
  { id: 1, amount: 7 },
  { id: 1, amount: 1 },
];

/** The rows, or the error's text. */
async function sql(query: unknown, inputs: JsonObject[][] = [PEOPLE, PAID], on = engine) {
  const sources = Object.fromEntries(
    inputs.map((rows, index) => [`In${index}`, codeNode(`return ${JSON.stringify(rows)}`)]),
  );
  const workflow = workflowOf(
    {
      Start: { type: 'manualTrigger' },
      ...sources,
      Merge: {
        type: 'merge',
        typeVersion: 3.2,
        parameters: { mode: 'combineBySql', numberInputs: inputs.length, query },
      },
    },
    inputs.flatMap((_, index) => [`Start -> In${index}`, `In${index} -> Merge:${index}`]),
  );
  const output = [[{ json: { secret: 'from the call', table: 'input2' } }]];
  const handle = await on.executions.start({
    workflow,
    mode: 'manual',
    test: true,
    node: 'Start',
    output,
  });
  const { state, error } = await handle.done;
  return error?.message ?? state.runData.Merge![0]!.data!.main![0]!.map(({ json }) => json);
}

describe('Merge by SQL', () => {
  it('joins, groups and sorts the items of the inputs', async () => {
    expect(
      await sql(`SELECT input1.name, SUM(input2.amount) AS paid FROM input1
        JOIN input2 ON input1.id = input2.id GROUP BY input1.name ORDER BY paid DESC`),
    ).toEqual([
      { name: 'Ada', paid: 8 },
      { name: 'Cy', paid: 5 },
    ]);
    expect(
      await sql('SELECT * FROM input1 LEFT JOIN input2 ON input1.id = input2.id WHERE input1.id > 1'),
    ).toEqual([
      { id: 2, name: 'Bo' },
      { id: 3, name: 'Cy', amount: 5 },
    ]);
  });

  it('has a table for each input, and reads nested fields', async () => {
    const inputs = [[{ a: { b: 'x' } }], [{ a: 1 }], [{ a: 2 }]];
    expect(
      await sql('SELECT input1.a->b AS x, input2.a + input3.a AS n FROM input1, input2, input3', inputs),
    ).toEqual([{ x: 'x', n: 3 }]);
  });

  it('evaluates expressions, and returns the rows of the last statement that has any', async () => {
    expect(await sql("=SELECT COUNT(*) AS n FROM {{ $('Start').first().json.table }}")).toEqual([{ n: 3 }]);
    expect(await sql('DELETE FROM input1 WHERE id < 3; SELECT id FROM input1')).toEqual([{ id: 3 }]);
    expect(await sql('SELECT id FROM input1 WHERE id > 99')).toEqual([]);
  });

  it.each([
    ['SELECT nope FROM', /^The SQL query failed: Parse error on line 1/],
    ['SELECT * FROM elsewhere', /^The SQL query failed: .*elsewhere/],
    ['DELETE FROM input1', /^The SQL query gives no rows/],
    ['= ', /^The parameter "SQL Query" is empty/],
  ])('explains why `%s` fails', async (query, problem) => {
    expect(await sql(query)).toMatch(problem);
  });

  it('stops queries that do not end or that fill the memory', async () => {
    const inputs = [PEOPLE, PAID];
    expect(await sql('SELECT ``(() => { while (true) {} })()`` AS x FROM input1', inputs, impatient)).toMatch(
      /^The code was stopped: it ran for too long/,
    );
    const many = [Array.from({ length: 3000 }, (_, id) => ({ id })), PAID];
    expect(await sql('SELECT a.id FROM input1 a, input1 b, input1 c', many, impatient)).toMatch(
      /^The (code was stopped|SQL query failed): .*(too long|memory)/,
    );
  });

  it('cannot reach the globals of the sandbox, nor the network', async () => {
    const names = [
      '$',
      '$input',
      '$json',
      'helpers',
      'require',
      'crypto',
      'setTimeout',
      'console',
      'items',
      '__input',
    ];
    const columns = names.map(
      (name, index) => `\`\`typeof globalThis[${JSON.stringify(name)}]\`\` AS c${index}`,
    );
    const [row] = (await sql(`SELECT ${columns.join(', ')} FROM input2 LIMIT 1`)) as JsonObject[];
    expect(Object.values(row!)).toEqual(names.map(() => 'undefined'));
    expect(await sql("SELECT * FROM CSV('http://localhost:5678/healthz')")).toMatch(/^The SQL query/);
  });
});
