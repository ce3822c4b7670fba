import { afterAll, describe, expect, it } from 'vitest';
import type { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { openPython } from '#test/support/sandbox/python-scripts.ts';
import { codeScope } from '#test/support/webhooks/expression-scope.ts';

const python = openPython();
afterAll(() => python.close());

const ITEMS = [
  { json: { m: 70 }, pairedItem: { item: 0 } },
  { json: { m: 80 }, pairedItem: { item: 1 } },
];

describe('code for all items', () => {
  it.each<[string, unknown]>([
    ['return _items', ITEMS],
    ['return items', ITEMS],
    ['return _input.all()', ITEMS],
    [
      'return [_input.first().json.m, _input.last()["json"]["m"], _input.item.json.m, _json.m]',
      [70, 80, 70, 70],
    ],
    [
      'for item in _items:\n  item["json"]["b"] = item.json.m + 1\nreturn [i.json.b for i in _items]',
      [71, 81],
    ],
    ['item = _items[0]\nitem.json.c = 1\ndel item.json.m\nreturn item.json', { c: 1 }],
    ['return type(_items.to_py()[0]["json"]).__name__', 'dict'],
    ['return [_itemIndex, _runIndex, _mode, _vars.team, _parameter.limit]', [0, 0, 'webhook', 'blue', 5]],
    ['return [_workflow.name, _execution.id, _prevNode.name]', ['Test', '12', 'Middle']],
    [
      'return [_now.toISO(), _today.toISODate(), _now.hour]',
      ['2025-06-15T14:00:00.000+02:00', '2025-06-15', 14],
    ],
    ['return None', null],
    ['x = 1', null],
    ['', null],
    ['return {"a": (1, {2: float("nan")}), "b": {1}}', { a: [1, { 2: null }], b: '{1}' }],
    ['import datetime\nreturn {"d": datetime.date(2026, 1, 2)}', { d: '2026-01-02' }],
    ['import json, re, math, hashlib, csv, io, base64, collections\nreturn math.floor(2.5)', 2],
    ['import asyncio\nasync def f():\n  await asyncio.sleep(0.01)\n  return 5\nreturn await f()', 5],
    ['def fact(n):\n  return 1 if n < 2 else n * fact(n - 1)\nreturn fact(5)', 120],
    ['text = """\n  two\nlines"""\nreturn text', '\n  two\nlines'],
    ['return "ü😀\\ud800"', 'ü😀\ud800'],
  ])('%j returns %j', async (code, value) => expect(await python.run(code)).toEqual(value));

  it.each<[string, unknown]>([
    ['return [_("Start").first().json.text, _("Start").last().json.n]', ['Ada', 8]],
    ['return [i.json.n for i in _("Start").all()]', [7, 8]],
    [
      'return [_("Start").item.json.n, _("Start").itemMatching(1).json.n, _("Start").pairedItem().json.n]',
      [7, 8, 7],
    ],
    ['return [_("Start").params.path, _("Start").context.count, _("Start").isExecuted]', ['orders', 1, true]],
    ['return _("Unused").isExecuted', false],
    ['name = "Start"\nreturn _(name).first().json.n', 7],
    ['return [node.first().json.n for node in map(_, ["Start"])]', [7]],
    ['return _("Unused").first()', { error: "Node 'Unused' hasn't been executed" }],
    ['return _("Nobody")', { error: "Referenced node doesn't exist" }],
  ])('%j reads other nodes: %j', async (code, value) => expect(await python.run(code)).toEqual(value));

  it('changes static data and the custom data of the execution', async () => {
    const scope = codeScope();
    scope.staticData('global').n = 1;
    const code =
      'data = _getWorkflowStaticData("global")\ndata.n += 1\ndata["list"] = [data.n]\n' +
      '_execution.customData.who = "me"\nreturn _getWorkflowStaticData("node")';
    expect(await python.run(code, { scope })).toEqual({});
    expect(scope.staticData('global')).toEqual({ n: 2, list: [2] });
    expect(scope.execution.customData).toEqual({ who: 'me' });
    expect(await python.run('_getWorkflowStaticData("x")')).toEqual({
      error: 'The type "x" is not supported: use "global" or "node"',
    });
  });

  it('reads the input of a tool', async () => {
    expect(await python.run('return _query.a.upper()', { input: { query: { a: 'x' } } })).toBe('X');
  });
});

describe('code for each item', () => {
  const mode = 'eachItem';

  it('runs once for each', async () => {
    expect(await python.runAll('return {"n": _item["json"]["m"], "i": _itemIndex}', { mode })).toEqual([
      { value: { n: 70, i: 0 } },
      { value: { n: 80, i: 1 } },
    ]);
    expect(await python.runAll('item.json.x = _json.m\nreturn item', { mode })).toMatchObject([
      { value: { json: { x: 70 } } },
      { value: { json: { x: 80 }, pairedItem: { item: 1 } } },
    ]);
    expect(await python.runAll('return _("Start").item.json.n', { mode })).toEqual([
      { value: 7 },
      { value: 8 },
    ]);
  });

  it.each([
    ['_items', "name '_items' is not defined"],
    ['_input.all()', "Can't use .all() here"],
  ])('has no %s', async (code, error) => {
    expect(await python.run(`return ${code}`, { mode })).toEqual({ error });
  });

  it('ends with the first error', async () => {
    const outcomes = await python.runAll('if _json.m == 70: raise ValueError("seventy")\nreturn 1', { mode });
    expect(outcomes).toHaveLength(1);
    expect((outcomes[0] as { error: NodeError }).error).toMatchObject({
      message: 'seventy',
      description: 'ValueError in line 1',
      name: 'WrappedExecutionError',
    });
  });
});

it.each([
  ['return 1 / 0', 'division by zero', 'ZeroDivisionError in line 1'],
  ['x = {}\n\nreturn x["a"]', "'a'", 'KeyError in line 3'],
  ['def f():\n  raise TypeError("deep")\nf()', 'deep', 'TypeError in line 2'],
  ['return (', "'(' was never closed (<code>, line 1)", 'SyntaxError in line 1'],
  ['return _item', "name '_item' is not defined", 'NameError in line 1'],
  ['raise ValueError', 'ValueError', 'ValueError in line 1'],
  ['return _json.nothing', "'Record' object has no attribute 'nothing'", 'AttributeError in line 1'],
  ['import sys\nsys.exit(3)', '3', 'SystemExit in line 2'],
  [
    'import pandas',
    "No module named 'pandas'",
    "ModuleNotFoundError in line 1. Only Python's standard library is available here.",
  ],
  ['x = []\nx.append(x)\nreturn x', 'Circular reference detected', 'ValueError'],
  ['return {(1, 2): 3}', 'keys must be str, int, float, bool or None, not tuple', 'TypeError'],
  [
    'import asyncio\nawait asyncio.Event().wait()',
    'The code waits for something that cannot come',
    'RuntimeError',
  ],
  ['def f(n):\n  return f(n + 1)\nf(0)', 'maximum recursion depth exceeded', 'RecursionError in line 2'],
])('the error of %j is %j', async (code, message, description) => {
  const [outcome] = await python.runAll(code);
  const { error } = outcome as { error: NodeError };
  expect({ message: error.message, description: error.description }).toEqual({ message, description });
});

it('writes texts in quotes to the console, and other values as JSON', async () => {
  const lines: string[] = [];
  const code =
    'import sys\nprint("hi", {"a": 1}, None, 2.5)\nprint("x", file=sys.stderr)\nsys.stdout.write("raw\\n")\nprint("ü")';
  await python.run(code, { lines });
  expect(lines).toEqual(['\'hi\' {"a": 1} None 2.5', "'x'", 'raw', "'ü'"]);
});

it('drops the rest of a console that is too long', async () => {
  const lines: string[] = [];
  await python.run('for i in range(2000): print("a" * 1000)', { lines });
  expect(lines.join('').length).toBeLessThan(1_001_500);
  expect(lines.at(-1)).toMatch(/… \(the rest of the console is left out\)$/);
});

it('says that code uses too much memory, and runs the next one', async () => {
  const error = 'The code was stopped: it used too much memory (more than 256 MiB)';
  expect(await python.run('return len("a" * 400_000_000)')).toEqual({ error });
  expect(await python.run('x = []\nwhile True: x.append("a" * 1_000_000 + str(len(x)))')).toEqual({ error });
  expect(await python.run('return 1')).toBe(1);
});

it('begins each run anew', async () => {
  const code =
    'import builtins, json, sys\nbuiltins.len = None\njson.dumps = None\nsys.modules["evil"] = 1\n' +
    'sys.modules["_tabd.run"].to_json = None\nglobals()["__builtins__"]["print"] = None\nreturn 1';
  await python.run(code);
  expect(await python.run('import sys\nreturn [len("ab"), "evil" in sys.modules]')).toEqual([2, false]);
  const random = 'import random, uuid\nreturn [random.random(), str(uuid.uuid4())]';
  expect(await python.run(random)).not.toEqual(await python.run(random));
});
