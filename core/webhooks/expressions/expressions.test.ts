import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../engine/engine.ts';
import { compile } from './compile.ts';
import { splitTemplate } from './template.ts';

let engine: Engine;
beforeAll(async () => {
  const expression = { time: 1000 };
  ({ engine } = await openEngine({}, { limits: { expression } }));
});
afterAll(() => engine.close());

const ITEMS = [
  {
    n: 7,
    text: 'Grüße an Ada <ada@example.org>',
    list: [5, 3, 9],
    rows: [
      { id: 1, tag: 'x' },
      { id: 2, tag: 'y' },
    ],
    deep: { 'a b': [{ c: 'found' }] },
    when: '2025-02-28T23:30:00Z',
    keys: 'own value',
    nothing: null,
  },
  { n: 8 },
];

/** The value of an expression for the first item, typed; an error as `{ error }`. */
async function evaluate(value: string, index = 0): Promise<unknown> {
  const probe = { type: 'set', typeVersion: 3.4, onError: 'continueRegularOutput' as const };
  const assignments = [{ name: 'v', type: 'any', value }];
  const workflow = workflowOf(
    {
      Start: { type: 'manualTrigger' },
      Between: setFields({ plus: 1 }),
      Probe: { ...probe, parameters: { assignments: { assignments } } },
      Unused: { type: 'noOp' },
    },
    ['Start -> Between', 'Between -> Probe'],
  );
  const output = [ITEMS.map((json, item) => ({ json, pairedItem: { item } }))];
  const handle = await engine.executions.start({ workflow, mode: 'webhook', node: 'Start', output });
  const { state } = await handle.done;
  const json = state.runData.Probe![0]!.data!.main![0]![index]!.json;
  return 'v' in json ? json.v : json;
}

describe('templates', () => {
  it.each([
    ['plain {{ $json.n }}', 'plain {{ $json.n }}'],
    ['=', ''],
    ['={{ $json.n }}', 7],
    ['={{$json.n}} ', '7 '],
    ['=<{{ $json.n }}|{{ $json.text.length }}>', '<7|30>'],
    ['={{ $json.list }} and {{ $json.deep }}', '5,3,9 and [object Object]'],
    ['=a{{ $json.nothing }}b{{ $json.none.deeper }}c{{ NaN }}d', 'abcd'],
    ['=\\{{ $json.n }}', '\\{{ $json.n }}'],
    ['={{ "open', '{{ "open'],
    ['={{ new Date(86400000) }}!', 'Fri Jan 02 1970 00:00:00 GMT+0000 (Coordinated Universal Time)!'],
  ])('become text or values: %s', async (source, value) => {
    if (/new Date/.test(source) && new Date().getTimezoneOffset() !== 0) return;
    expect(await evaluate(source)).toEqual(value);
  });

  it('end code at the first }}, also inside of a string', () => {
    expect(splitTemplate("={{ '}}' }}x")).toEqual([{ code: " '" }, { text: "' }}x" }]);
  });
});

describe('plain paths', () => {
  it.each([
    ['$json.deep["a b"][0].c', 'found'],
    ['$json.rows[1].tag', 'y'],
    ['$json.list.length', 3],
    ['$json.text.length', 30],
    ['$json?.none?.deeper', undefined],
    ['$json.list.map', undefined],
    ['$json.toString', undefined],
    ["$('Start').item.json.n", 7],
    ["$('Start').last().json.n", 8],
    ["$node['Between'].json.plus", 1],
    ['$input.first().json.n', 7],
    ['$prevNode.name', 'Between'],
    ['$itemIndex', 0],
    ["'text'", 'text'],
    ['-1', -1],
    ['$workflow.name', 'Test'],
    ['$execution.mode', 'production'],
  ])('read %s', async (code, value) => {
    expect(await evaluate(`={{ ${code} }}`)).toEqual(value ?? null);
  });

  it('need no sandbox', () => {
    for (const code of [
      '$json.a.b',
      '$json["x y"]',
      "$('N').item.json.a",
      "$node['N'].json.a",
      '$json?.a',
      '3',
    ]) {
      expect(compile(code).kind).toBe('path');
    }
    for (const code of [
      '$json.a()',
      '$json[key]',
      "$node['N'].parameter.a",
      '$json.a + 1',
      '`x`',
      '$json.__proto__',
    ]) {
      expect(compile(code).kind).toBe('script');
    }
  });

  it('never reach constructors and prototypes', async () => {
    expect(await evaluate('={{ $json["constructor"] }}')).toEqual({
      error: 'Expression contains invalid constructor function call',
    });
    expect(await evaluate('={{ $json.__proto__.polluted }}')).toBeNull();
  });
});

describe('expressions', () => {
  it.each([
    ['$json.list.filter((x) => x > 4)', [5, 9]],
    ['$json.list.sort()', [3, 5, 9]],
    ['({ ...$json.rows[0], more: [1] })', { id: 1, tag: 'x', more: [1] }],
    ["$('Start').all().map((item) => item.json.n)", [7, 8]],
    ["$items('Start')[1].json.n", 8],
    ['$input.all().length', 2],
    ["$('Start').itemMatching(1).json.n", 8],
    ["$('Start').isExecuted", true],
    ["$('Unused').isExecuted", false],
    ['typeof fetch + typeof window + typeof localStorage', 'objectundefinedundefined'],
    ['$if($json.n > 5, "big", "small")', 'big'],
    ['$ifEmpty([], 1)', 1],
    ['$max(1, [4, 2])', 4],
    ["$jmespath($json, 'rows[?id==`2`].tag | [0]')", 'y'],
    ['$json.none.deeper.still', null],
    ['$json.n.nope()', null],
    ['$vars.any', null],
    ['10n ** 20n', '100000000000000000000'],
    ['new Set([1])', {}],
    ['$json.when.toDateTime().plus(1, "day").toISO()', '2025-03-01T23:30:00.000Z'],
    ["DateTime.fromISO('2025-07-01T12:00').toISO()", '2025-07-01T12:00:00.000-04:00'],
    ["DateTime.fromISO('2025-07-01', { zone: 'Asia/Kathmandu' }).toFormat('ZZ cccc')", '+05:45 Tuesday'],
    ["DateTime.fromISO('2025-07-01').setLocale('de').toFormat('d. MMMM')", '1. Juli'],
    ["DateTime.fromISO('2025-11-02T00:30').plus({ hours: 2 }).toFormat('HH:mm')", '01:30'],
    ["new Intl.DateTimeFormat('fr', { month: 'long', timeZone: 'UTC' }).format(new Date(0))", 'janvier'],
    ["(1234567.891).toLocaleString('de-DE')", '1.234.567,891'],
    ["['ä', 'z', 'a'].sort((a, b) => a.localeCompare(b)).join('')", 'aäz'],
  ])('evaluate %s', async (code, value) => {
    expect(await evaluate(`={{ ${code} }}`)).toEqual(value);
  });

  it.each([
    ['1 +', 'invalid syntax'],
    ['let x = 1', 'invalid syntax'],
    ['', 'invalid syntax'],
    ["$('Nowhere').item.json.a", "Referenced node doesn't exist"],
    ["$('Nowhere').all().length", "Referenced node doesn't exist"],
    ["$('Unused').first().json.a", "Node 'Unused' hasn't been executed"],
    ['$env.HOME', 'access to env vars denied'],
    ['(() => {}).constructor("return 1")()', 'Expression contains invalid constructor function call'],
    ['() => 1', '() => 1 could not be cloned.'],
    ['(() => { throw new RangeError("mine") })()', 'mine'],
  ])('%s fails: %s', async (code, message) => {
    expect(await evaluate(`={{ ${code} }}`)).toEqual({ error: message });
  });

  it('do not see changes of other expressions', async () => {
    expect(await evaluate('={{ [globalThis.leak = 1, Array.prototype.leak = 1].length }}')).toBeNull();
    expect(await evaluate('={{ (() => { leak = 5; return 1 })() }}')).toBe(1);
    expect(
      await evaluate(
        '={{ (() => { Object.prototype.leak = 5; Math.max = null; return Math.max(1, 2) })() }}',
      ),
    ).toBe(2);
    expect(await evaluate('={{ typeof leak + [].leak }}')).toBe('undefinedundefined');
    expect(await evaluate("={{ [$json.list.push(1), $('Start').first().json.list.length].join() }}")).toBe(
      '4,3',
    );
    expect(await evaluate('={{ $json.list.length }}')).toBe(3);
  });

  it('in the data of an item are not evaluated', async () => {
    const workflow = workflowOf(
      { Start: { type: 'manualTrigger' }, Copy: setFields({ copy: '={{ $json.evil }}' }) },
      ['Start -> Copy'],
    );
    const evil = '={{ $env.SECRET }}';
    const handle = await engine.executions.start({
      workflow,
      mode: 'webhook',
      node: 'Start',
      output: [[{ json: { evil } }]],
    });
    const { state } = await handle.done;
    expect(state.runData.Copy![0]!.data!.main![0]![0]!.json.copy).toBe(evil);
  });

  it('read the data of each of many items', async () => {
    const items = Array.from({ length: 300 }, (_, n) => ({ json: { n }, pairedItem: { item: n } }));
    const double = setFields({ twice: "={{ $json.n * 2 + $('Start').item.json.n * 0 }}" }, false);
    const workflow = workflowOf({ Start: { type: 'manualTrigger' }, Double: double }, ['Start -> Double']);
    const handle = await engine.executions.start({
      workflow,
      mode: 'webhook',
      node: 'Start',
      output: [items],
    });
    const { state } = await handle.done;
    expect(state.runData.Double![0]!.data!.main![0]!.map(({ json }) => json.twice)).toEqual(
      items.map((_, n) => String(n * 2)),
    );
  });
});

describe('limits', () => {
  it.each(['while (true);', 'for (;;) new Promise(() => { for (;;); });'])(
    'stop an endless expression and evaluate the next one: %s',
    async (code) => {
      expect(await evaluate(`={{ (() => { ${code} })() }}`)).toEqual({
        error: expect.stringContaining('The expression could not be evaluated: it ran for too long'),
      });
      expect(await evaluate('={{ 1 + 1 }}')).toBe(2);
    },
  );

  it('stop an expression that fills the memory', async () => {
    expect(
      await evaluate('={{ (() => { const all = []; for (;;) all.push(new Uint8Array(1e6)); })() }}'),
    ).toEqual({
      error: 'The expression could not be evaluated: it used too much memory (more than 128 MiB)',
    });
    expect(await evaluate('={{ (() => { const dig = () => dig() + 1; return dig(); })() }}')).toMatchObject({
      error: expect.stringMatching(/call stack/),
    });
    expect(await evaluate('={{ 1 + 1 }}')).toBe(2);
  });
});
