import { describe, expect, it } from 'vitest';
import { type GraphJson, graphOf, runServices } from '#test/support/image-workflows/prompt-fixtures.ts';
import { choice, float, type Input, int, link, optional, string } from '../nodes/kernel/inputs.ts';
import { type AnyNode, type NodeType, node, output } from '../nodes/kernel/node-type.ts';
import { pythonJson } from '../python/python-json.ts';
import { type CheckScope, checkNode, type NodeCheck } from './check-node.ts';
import type { PromptNodeId } from './graph.ts';
import { walkSources } from './walk-sources.ts';

type Inputs = Record<string, Input<unknown, boolean>>;
const declare = (name: string, inputs: Inputs, more: Partial<NodeType<Inputs>> = {}): AnyNode =>
  node<Inputs>({
    name,
    category: 'test',
    module: 'test',
    inputs,
    outputs: [output('INT')],
    run: () => [],
    ...more,
  });
const longList = Array.from({ length: 21 }, (_, index) => `n${index}`);
const nodes = [
  declare('Number', { value: int({ min: 0, max: 100 }) }),
  declare('Float', { value: float({ min: 0.5, max: 2 }) }),
  declare('Text', { value: string() }, { outputs: [output('STRING')] }),
  declare('Take', { value: link('INT') }),
  declare('TakeAny', { value: optional(link('INT')), text: optional(link('STRING')) }),
  declare('Choice', { value: choice(['a', 'b']) }, { outputs: [{ type: ['a', 'b'] }] }),
  declare('Modern', { value: choice(['a', 'b']) }, { modern: true }),
  declare('Long', { value: choice(longList) }),
  declare('Short', { value: choice(longList.slice(1)) }),
  declare(
    'Own',
    { value: choice(['a']), seed: int({ max: 5 }), other: optional(int()) },
    {
      validate: {
        inputs: ['value', 'seed', 'other'],
        check: async (values: Record<string, unknown>, { files }) =>
          values.value === 'good'
            ? true
            : `${files ? 'looked at' : 'no files for'} ${JSON.stringify(values)}`,
      },
    },
  ),
  declare(
    'Broken',
    { value: int() },
    {
      validate: {
        inputs: ['value'],
        check: () => {
          throw new Error('out of order');
        },
      },
    },
  ),
];

/** Checks a node and its sources, and returns the check of the node with the graph. */
async function check(json: GraphJson, id: PromptNodeId = '1') {
  const graph = graphOf(json);
  const { types, files, host } = runServices(nodes);
  const checks = new Map<PromptNodeId, NodeCheck>();
  const scope: CheckScope = { graph, types, checks, context: { files, host } };
  const { order, consumers } = walkSources(graph, [id]);
  for (const source of order)
    checks.set(source, await checkNode(graph.get(source)!, consumers.get(source), scope));
  return { ...checks.get(id)!, graph, checks };
}
/** The one error of a node with one input. */
async function errorOf(class_type: string, value: unknown) {
  const { errors, isValid } = await check({ '1': { class_type, inputs: { value } } });
  expect([errors.length, isValid]).toEqual([1, false]);
  return { ...errors[0]!, extra_info: JSON.parse(pythonJson(errors[0]!.extra_info)) };
}
async function acceptedValue(class_type: string, value: unknown) {
  const { errors, isValid, graph } = await check({ '1': { class_type, inputs: { value } } });
  expect([errors, isValid]).toEqual([[], true]);
  return graph.get('1')!.inputs!.get('value');
}

describe('literals', () => {
  it.each([
    ['Number', ' 8 ', 8n],
    ['Number', 8.9, 8n],
    ['Number', { __value__: '7' }, 7n],
    ['Number', 0, 0n],
    ['Number', 100, 100n],
    ['Float', 2, 2],
    ['Float', 0.5, 0.5],
    ['Text', 5, '5'],
    ['Text', { __value__: ['1', 0] }, "['1', 0]"],
    ['Text', { __value__: null }, 'None'],
    ['Choice', 'b', 'b'],
    ['Short', 'n20', 'n20'],
    ['Modern', 'not listed', 'not listed'],
  ])('%s takes %j as %o', async (className, value, accepted) => {
    expect(await acceptedValue(className, value)).toEqual(accepted);
  });

  it.each([
    ['Number', -1, 'value_smaller_than_min', 'Value -1 smaller than min of 0', 'value'],
    ['Number', 101, 'value_bigger_than_max', 'Value 101 bigger than max of 100', 'value'],
    ['Float', 0, 'value_smaller_than_min', 'Value 0.0 smaller than min of 0.5', 'value'],
    ['Float', 3, 'value_bigger_than_max', 'Value 3.0 bigger than max of 2.0', 'value'],
    ['Choice', 'c', 'value_not_in_list', 'Value not in list', "value: 'c' not in ['a', 'b']"],
    ['Choice', true, 'value_not_in_list', 'Value not in list', "value: 'True' not in ['a', 'b']"],
    ['Long', 'c', 'value_not_in_list', 'Value not in list', "value: 'c' not in (list of length 21)"],
    [
      'Number',
      'x',
      'invalid_input_type',
      'Failed to convert an input value to a INT value',
      "value, x, invalid literal for int() with base 10: 'x'",
    ],
  ])('%s refuses %j as %s', async (className, value, type, message, details) => {
    expect(await errorOf(className, value)).toMatchObject({ type, message, details });
  });

  it('are quoted in errors with the input, as they were converted', async () => {
    const { extra_info } = await errorOf('Number', '-3');
    expect(extra_info).toEqual({
      input_name: 'value',
      input_config: ['INT', { min: 0, max: 100 }],
      received_value: -3,
    });
    expect((await errorOf('Number', { __value__: 'x' })).extra_info).toMatchObject({
      received_value: 'x',
      exception_message: "invalid literal for int() with base 10: 'x'",
    });
    expect((await errorOf('Choice', { a: [1.5] })).extra_info).toMatchObject({
      received_value: { a: [1.5] },
    });
  });

  it('are quoted without the input when its choices are many', async () => {
    expect((await errorOf('Long', 'c')).extra_info.input_config).toBeNull();
    expect((await errorOf('Short', 'c')).extra_info.input_config).toHaveLength(1);
    expect((await errorOf('Short', 'c')).details).toContain("not in ['n1',");
  });
});

describe('missing inputs', () => {
  it('are errors unless they are optional', async () => {
    expect((await check({ '1': { class_type: 'TakeAny', inputs: {} } })).isValid).toBe(true);
    const { errors } = await check({ '1': { class_type: 'Take', inputs: { other: 1 } } });
    expect(errors).toEqual([
      {
        type: 'required_input_missing',
        message: 'Required input is missing',
        details: 'value',
        extra_info: { input_name: 'value' },
      },
    ]);
  });

  it('are an exception when the node has no inputs at all', async () => {
    const { errors, isValid } = await check({ '1': { class_type: 'TakeAny' } });
    expect(isValid).toBe(false);
    expect(errors[0]).toMatchObject({ details: "'inputs'", extra_info: { exception_type: 'KeyError' } });
  });

  it('do not hide further errors', async () => {
    const { errors } = await check({ '1': { class_type: 'Own', inputs: { seed: 'x' } } });
    expect(errors.map(({ type }) => type)).toEqual(['required_input_missing', 'invalid_input_type']);
  });
});

describe('links', () => {
  const two = (second: object, value: unknown[]) =>
    ({ '2': second, '1': { class_type: 'Take', inputs: { value } } }) as GraphJson;
  const number = { class_type: 'Number', inputs: { value: 5 } };

  it('to an output of the right type are valid when their source is', async () => {
    expect((await check(two(number, ['2', 0]))).isValid).toBe(true);
    expect((await check(two(number, ['2', -1]))).isValid).toBe(true);
    const { errors, isValid } = await check(two({ class_type: 'Number', inputs: { value: 'x' } }, ['2', 0]));
    expect([errors, isValid]).toEqual([[], false]);
  });

  it('make all nodes that depend on an invalid source invalid, without errors of their own', async () => {
    const { checks } = await check(
      {
        ...two({ class_type: 'Number', inputs: {} }, ['2', 0]),
        '0': { class_type: 'Take', inputs: { value: ['1', 0] } },
      },
      '0',
    );
    expect([...checks].map(([id, { isValid, errors }]) => [id, isValid, errors.length])).toEqual([
      ['2', false, 1],
      ['1', false, 0],
      ['0', false, 0],
    ]);
  });

  it('to another type are errors', async () => {
    const { errors } = await check(two({ class_type: 'Text', inputs: { value: 'x' } }, ['2', 0]));
    expect(JSON.parse(pythonJson(errors))).toEqual([
      {
        type: 'return_type_mismatch',
        message: 'Return type mismatch between linked nodes',
        details: 'value, received_type(STRING) mismatch input_type(INT)',
        extra_info: {
          input_name: 'value',
          input_config: ['INT', {}],
          received_type: 'STRING',
          linked_node: ['2', 0],
        },
      },
    ]);
  });

  it('to a choice need the same list, except for modern nodes', async () => {
    const choose = (class_type: string, source: string) =>
      check({
        '2': { class_type: source, inputs: { value: 'a' } },
        '1': { class_type, inputs: { value: ['2', 0] } },
      });
    expect((await choose('Choice', 'Choice')).isValid).toBe(true);
    expect((await choose('Modern', 'Choice')).isValid).toBe(true);
    expect((await choose('Short', 'Choice')).errors[0]!.details).toContain(
      "received_type(['a', 'b']) mismatch input_type(['n1',",
    );
    expect((await choose('Modern', 'Number')).errors[0]!.details).toBe(
      "value, received_type(INT) mismatch input_type(['a', 'b'])",
    );
  });

  it('of another length are errors', async () => {
    const { errors } = await check(two(number, ['2']));
    expect(JSON.parse(pythonJson(errors[0]))).toEqual({
      type: 'bad_linked_input',
      message: 'Bad linked input, must be a length-2 list of [node_id, slot_index]',
      details: 'value',
      extra_info: { input_name: 'value', input_config: ['INT', {}], received_value: ['2'] },
    });
  });

  it.each([
    [['9', 0], 'KeyError', "'9'"],
    [[9, 0], 'KeyError', '9'],
    [[{}, 0], 'TypeError', "unhashable type: 'dict'"],
    [[['2'], 0], 'TypeError', "unhashable type: 'list'"],
    [['2', 5], 'IndexError', 'tuple index out of range'],
    [['2', -2], 'IndexError', 'tuple index out of range'],
    [['2', 'x'], 'TypeError', 'tuple indices must be integers or slices, not str'],
    [['2', 0.5], 'TypeError', 'tuple indices must be integers or slices, not float'],
    [['2', null], 'TypeError', 'tuple indices must be integers or slices, not NoneType'],
    [['2', []], 'TypeError', 'tuple indices must be integers or slices, not list'],
    [['2', {}], 'TypeError', 'tuple indices must be integers or slices, not dict'],
    [['2', true], 'TypeError', 'tuple indices must be integers or slices, not bool'],
  ])('%j raises %s', async (value, exception_type, details) => {
    const { errors, isValid } = await check(two(number, value));
    expect(isValid).toBe(false);
    expect(errors).toEqual([
      {
        type: 'exception_during_validation',
        message: 'Exception when validating node',
        details,
        extra_info: { exception_type, traceback: [] },
      },
    ]);
  });
});

it('an exception names the link that leads to its node', async () => {
  const { checks } = await check({
    '1': { class_type: 'Take', inputs: { value: ['2', 0] } },
    '2': { class_type: 'Take', inputs: { value: ['9', 0] } },
  });
  expect(JSON.parse(pythonJson(checks.get('2')!.errors))).toEqual([
    {
      type: 'exception_during_inner_validation',
      message: 'Exception when validating inner node',
      details: "'9'",
      extra_info: {
        input_name: 'value',
        input_config: ['INT', {}],
        exception_message: "'9'",
        exception_type: 'KeyError',
        traceback: [],
        linked_node: ['2', 0],
      },
    },
  ]);
});

it('an exception of a source names no input when the consumer does not declare it', async () => {
  const { checks } = await check({
    '1': { class_type: 'Text', inputs: { value: 'x', other: ['2', 0] } },
    '2': { class_type: 'Take' },
  });
  expect(checks.get('2')!.errors[0]!.extra_info).toMatchObject({ input_name: 'other', input_config: null });
});

describe('the validator of a node', () => {
  const own = (inputs: Record<string, unknown>) =>
    check({ '1': { class_type: 'Own', inputs }, '2': { class_type: 'Number', inputs: { value: 1 } } });

  it('replaces the checks of range and choice', async () => {
    expect((await own({ value: 'good', seed: 99 })).isValid).toBe(true);
  });

  it('sees its inputs as the node does, without links', async () => {
    const { errors, isValid } = await own({ value: 'bad', seed: '7', other: ['2', 0] });
    expect(isValid).toBe(false);
    expect(errors).toEqual(
      ['value', 'seed'].map((name) => ({
        type: 'custom_validation_failed',
        message: 'Custom validation failed for node',
        details: `${name} - looked at {"value":"bad","seed":7}`,
        extra_info: { input_name: name },
      })),
    );
  });

  it('does not run after other errors, nor without literals', async () => {
    expect((await own({ value: 'bad', seed: 'x' })).errors.map(({ type }) => type)).toEqual([
      'invalid_input_type',
    ]);
    const linked = {
      '1': { class_type: 'Broken', inputs: { value: ['2', 0] } },
      '2': { class_type: 'Number', inputs: { value: 1 } },
    };
    expect((await check(linked)).isValid).toBe(true);
  });

  it('that throws is an exception', async () => {
    const { errors } = await check({ '1': { class_type: 'Broken', inputs: { value: 1 } } });
    expect(errors[0]).toMatchObject({
      type: 'exception_during_validation',
      details: 'out of order',
      extra_info: { exception_type: 'Exception' },
    });
  });
});
