/** Data of a client stays data everywhere: it never becomes an expression, code or a property of a prototype. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, WorkflowNode } from '#core/workflow-format';
import { codeNode, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../engine.ts';

let engine: Engine;
const sent: { url: string; headers: string; text: string }[] = [];
beforeAll(async () => {
  const fetch = async (request: Request) => {
    sent.push({
      url: request.url,
      headers: JSON.stringify([...request.headers]),
      text: await request.text(),
    });
    return Response.json({});
  };
  ({ engine } = await openEngine({ fetch }));
});
afterAll(() => engine.close());

const ATTACKS = [
  '={{ 6 * 7 }}',
  '{{ 6 * 7 }}',
  '=6 * 7',
  '}}{{ 6 * 7 }}',
  "' + (6 * 7) + '",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an attack of a client
  '`${6 * 7}`',
  '={{ $json.constructor.constructor("return 6 * 7")() }}',
  "={{ $('Webhook').item.json.secret }}",
  '\\{{ 6 * 7 }}',
  '"}); throw new Error("42"); ({"a": "',
];

type Nodes = Record<string, Partial<WorkflowNode> & { type: string }>;

async function run(node: Nodes[string], json: JsonObject): Promise<JsonObject[][]> {
  const workflow = workflowOf({ Webhook: { type: 'manualTrigger' }, Node: node }, ['Webhook -> Node']);
  const output = [[{ json, pairedItem: { item: 0 } }]];
  const { state } = await (
    await engine.executions.start({ workflow, mode: 'webhook', node: 'Webhook', output })
  ).done;
  const task = state.runData.Node![0]!;
  if (task.error) throw new Error(task.error.message);
  return task.data!.main!.map((items) => (items ?? []).map((item) => item.json));
}

describe.each(ATTACKS)('%s', (attack) => {
  const body = { body: { x: attack, [attack]: 1 }, secret: 's3cret' };

  it('stays text in fields, keys and templates', async () => {
    const fields = {
      whole: '={{ $json.body.x }}',
      inside: '=<{{ $json.body.x }}>',
      method: '={{ $json.body.x.trim() }}',
      keys: "={{ Object.keys($json.body).join('|') }}",
      node: "={{ $('Webhook').item.json.body.x }}",
      parameter: '={{ $parameter.options }}',
    };
    const [[item]] = (await run(setFields(fields, false), body)) as [[JsonObject]];
    expect(item).toMatchObject({
      whole: attack,
      inside: `<${attack}>`,
      method: attack.trim(),
      keys: `x|${attack}`,
      node: attack,
    });
  });

  it('stays text in code, comparisons and requests', async () => {
    expect(
      await run(codeNode('return { x: $json.body.x, twice: [$json.body.x, items[0].json.body.x] }'), body),
    ).toEqual([[{ x: attack, twice: [attack, attack] }]]);
    const conditions = {
      options: { typeValidation: 'strict' },
      combinator: 'and',
      conditions: [
        {
          leftValue: '={{ $json.body.x }}',
          rightValue: '42',
          operator: { type: 'string', operation: 'contains' },
        },
      ],
    };
    const [, no] = await run({ type: 'if', typeVersion: 2.2, parameters: { conditions } }, body);
    expect(no).toHaveLength(attack.includes('42') ? 0 : 1);
    sent.length = 0;
    const parameters = {
      method: 'POST',
      url: '=https://api.test/?x={{ encodeURIComponent($json.body.x) }}',
      sendBody: true,
      bodyParameters: { parameters: [{ name: 'x', value: '={{ $json.body.x }}' }] },
    };
    await run({ type: 'httpRequest', typeVersion: 4.2, parameters }, body);
    expect(JSON.parse(sent[0]!.text)).toEqual({ x: attack });
    expect(new URL(sent[0]!.url).searchParams.get('x')).toBe(attack);
  });
});

describe('keys of prototypes', () => {
  const evil = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}',
  ) as JsonObject;

  it.each<[string, Nodes[string]]>([
    [
      'Set',
      setFields({ '__proto__.polluted': '1', 'constructor.prototype.polluted': '1', b: '={{ $json.a }}' }),
    ],
    ['Code', codeNode('return items.map(({ json }) => ({ ...json, b: 1 }))')],
    [
      'Rename Keys',
      {
        type: 'renameKeys',
        parameters: { keys: { key: [{ currentKey: 'a', newKey: '__proto__.polluted' }] } },
      },
    ],
    [
      'Split Out',
      { type: 'splitOut', parameters: { fieldToSplitOut: '__proto__', include: 'allOtherFields' } },
    ],
    [
      'Aggregate',
      {
        type: 'aggregate',
        parameters: { aggregate: 'aggregateAllItemData', destinationFieldName: '__proto__' },
      },
    ],
    [
      'Summarize',
      {
        type: 'summarize',
        parameters: {
          fieldsToSummarize: { values: [{ field: 'a' }] },
          fieldsToSplitBy: '__proto__',
          options: { outputFormat: 'singleItem', continueIfFieldNotFound: true },
        },
      },
    ],
    [
      'Remove Duplicates',
      {
        type: 'removeDuplicates',
        parameters: { compare: 'allFieldsExcept', fieldsToExclude: '__proto__.polluted' },
      },
    ],
  ])('change nothing in %s', async (_name, node) => {
    await run(node, structuredClone(evil)).catch(() => undefined);
    expect(({} as JsonObject).polluted).toBeUndefined();
    expect((Object as unknown as JsonObject).polluted).toBeUndefined();
  });
});

it('a value cannot add a header', async () => {
  const parameters = {
    url: 'https://api.test/',
    sendHeaders: true,
    headerParameters: { parameters: [{ name: 'X-A', value: '={{ $json.x }}' }] },
  };
  const node = { type: 'httpRequest', typeVersion: 4.2, parameters };
  await expect(run(node, { x: 'a\r\nX-Injected: 1' })).rejects.toThrow('The header "x-a" cannot be sent');
});
