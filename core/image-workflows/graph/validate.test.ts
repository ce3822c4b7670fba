import { afterAll, describe, expect, it } from 'vitest';
import { imageServer, testNodes } from '#test/support/image-workflows/image-server.ts';

const server = imageServer({ customNodes: testNodes([]) });
afterAll(() => server.close());

interface Refusal {
  error: { type: string; message: string; details: string; extra_info: unknown };
  node_errors: Record<
    string,
    {
      errors: { type: string; message: string; details: string; extra_info: Record<string, unknown> }[];
      dependent_outputs: string[];
      class_type: string;
    }
  >;
}

const post = async (body: unknown) => {
  const response = await server.ask('POST', '/prompt', body);
  return { status: response.status, body: (await response.json()) as Refusal };
};
const show = { class_type: 'Show', inputs: { value: ['1', 0] } };
const withNode = (className: string, inputs: unknown) => ({
  '1': { class_type: className, inputs },
  '2': show,
});
const only = async (graph: unknown, id = '1') => {
  const { status, body } = await post({ prompt: graph });
  expect(status).toBe(400);
  expect(body.error.type).toBe('prompt_outputs_failed_validation');
  expect(Object.keys(body.node_errors)).toEqual([id]);
  return body.node_errors[id]!;
};

describe('a prompt that cannot run', () => {
  it.each([
    [{}, 'no_prompt', 'No prompt provided', 'No prompt provided'],
    ['[]', 'no_prompt', 'No prompt provided', 'No prompt provided'],
    ['"x"', 'no_prompt', 'No prompt provided', 'No prompt provided'],
    [{ prompt: [] }, 'prompt_no_outputs', 'Prompt has no outputs', ''],
    [{ prompt: {} }, 'prompt_no_outputs', 'Prompt has no outputs', ''],
    [
      { prompt: withNode('Number', { value: 1 }), partial_execution_targets: [] },
      'prompt_no_outputs',
      'Prompt has no outputs',
      '',
    ],
    [
      { prompt: { '7': {} } },
      'invalid_prompt',
      'Cannot execute because a node is missing the class_type property.',
      "Node ID '#7'",
    ],
    [
      { prompt: { '7': 'x' } },
      'invalid_prompt',
      'Cannot execute because a node is missing the class_type property.',
      "Node ID '#7'",
    ],
    [
      { prompt: { '7': { class_type: 'Nope' } } },
      'invalid_prompt',
      'Cannot execute because node Nope does not exist.',
      "Node ID '#7'",
    ],
  ])('%j is refused', async (body, type, message, details) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: { type, message, details, extra_info: {} }, node_errors: {} });
  });

  it.each([
    '',
    'no json',
    '{"prompt": 5}',
    '{"prompt": null}',
    'null',
    '{"prompt": {}, "number": "abc"}',
    '{"prompt": {"1": null}}',
  ])('%j gets a 400 in ComfyUI’s form, where ComfyUI itself fails', async (body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.type).toMatch(/^(invalid_prompt|no_prompt)$/);
  });

  it('in the editor’s own format is refused with the way to export it', async () => {
    const { body } = await post({ prompt: { nodes: [], links: [], last_node_id: 1 } });
    expect(body.error.details).toContain('Export (API)');
  });

  it.each([
    { a: { class_type: 'Show', inputs: { value: ['a', 0] } } },
    {
      a: { class_type: 'Add', inputs: { a: ['b', 0] } },
      b: { class_type: 'Add', inputs: { a: ['a', 0] } },
      c: { class_type: 'Show', inputs: { value: ['b', 0] } },
    },
  ])('that is a cycle is refused without errors of nodes', async (graph) => {
    const { status, body } = await post({ prompt: graph });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { type: 'prompt_outputs_failed_validation', details: '' },
      node_errors: {},
    });
  });

  it('is checked to its end, along a chain of 20,000 nodes', async () => {
    const graph: Record<string, unknown> = { '0': { class_type: 'Number', inputs: { value: 'x' } } };
    for (let id = 1; id < 20_000; id++) graph[id] = { class_type: 'Add', inputs: { a: [String(id - 1), 0] } };
    graph.out = { class_type: 'Show', inputs: { value: ['19999', 0] } };
    expect((await only(graph, '0')).errors[0]!.type).toBe('invalid_input_type');
  });

  it('in one of two outputs runs the other, and reports the errors', async () => {
    const prompt = { ...withNode('Number', { value: 1 }), '3': { class_type: 'Show', inputs: {} } };
    const { status, body } = await post({ prompt });
    expect(status).toBe(200);
    expect(body.node_errors).toEqual({
      '3': {
        errors: [
          {
            type: 'required_input_missing',
            message: 'Required input is missing',
            details: 'value',
            extra_info: { input_name: 'value' },
          },
        ],
        dependent_outputs: ['3'],
        class_type: 'Show',
      },
    });
  });
});

describe('an input', () => {
  const range = ['INT', { default: 0, min: 0, max: 100 }];
  it.each([
    ['Number', { value: -1 }, 'value_smaller_than_min', 'Value -1 smaller than min of 0', 'value'],
    ['Number', { value: 101 }, 'value_bigger_than_max', 'Value 101 bigger than max of 100', 'value'],
    [
      'Number',
      { value: 'x' },
      'invalid_input_type',
      'Failed to convert an input value to a INT value',
      "value, x, invalid literal for int() with base 10: 'x'",
    ],
    [
      'Number',
      { value: '8.5' },
      'invalid_input_type',
      'Failed to convert an input value to a INT value',
      "value, 8.5, invalid literal for int() with base 10: '8.5'",
    ],
    [
      'Number',
      { value: null },
      'invalid_input_type',
      'Failed to convert an input value to a INT value',
      "value, None, int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
    ],
    [
      'Number',
      { value: ['1'] },
      'bad_linked_input',
      'Bad linked input, must be a length-2 list of [node_id, slot_index]',
      'value',
    ],
  ])('%s %j is reported as %s', async (className, inputs, type, message, details) => {
    const { errors, dependent_outputs, class_type } = await only(withNode(className, inputs));
    expect({ dependent_outputs, class_type }).toEqual({ dependent_outputs: ['2'], class_type: className });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ type, message, details });
    expect(errors[0]!.extra_info).toMatchObject({ input_name: 'value', input_config: range });
  });

  it.each([
    [['9', 0], 'KeyError', "'9'"],
    [[9, 0], 'KeyError', '9'],
    [['1', 5], 'IndexError', 'tuple index out of range'],
    [['1', 'x'], 'TypeError', 'tuple indices must be integers or slices, not str'],
  ])('a link %j is an error of the output that holds it', async (link, kind, details) => {
    const graph = {
      '1': { class_type: 'Number', inputs: { value: 1 } },
      '2': { class_type: 'Show', inputs: { value: link } },
    };
    const { errors } = await only(graph, '2');
    expect(errors[0]).toEqual({
      type: 'exception_during_validation',
      message: 'Exception when validating node',
      details,
      extra_info: { exception_type: kind, traceback: [] },
    });
  });

  it('a bad link of a source is reported with the link to that source', async () => {
    const { errors } = await only(withNode('Add', { a: ['nowhere', 0] }));
    expect(errors[0]).toMatchObject({
      type: 'exception_during_inner_validation',
      details: "'nowhere'",
      extra_info: { input_name: 'value', exception_type: 'KeyError', linked_node: ['1', 0] },
    });
  });

  it('must have the type of its link', async () => {
    const graph = { '1': { class_type: 'PrimitiveString', inputs: { value: 'x' } }, '2': show };
    const { errors } = await only(graph, '2');
    expect(errors[0]).toMatchObject({
      type: 'return_type_mismatch',
      details: 'value, received_type(STRING) mismatch input_type(INT)',
      extra_info: { received_type: 'STRING', linked_node: ['1', 0] },
    });
  });

  it('must be among its choices, and name a file that exists', async () => {
    const save = { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } };
    const image = { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } };
    const scale = { image: ['0', 0], upscale_method: 'zzz', width: 8, height: 8, crop: 'disabled' };
    const listed = await only({ '0': image, '1': { class_type: 'ImageScale', inputs: scale }, '2': save });
    expect(listed.errors[0]).toMatchObject({
      type: 'value_not_in_list',
      message: 'Value not in list',
      details: "upscale_method: 'zzz' not in ['nearest-exact', 'bilinear', 'area', 'bicubic', 'lanczos']",
    });
    const missing = await only({
      '1': { class_type: 'LoadImage', inputs: { image: 'nope.png' } },
      '2': save,
    });
    expect(missing.errors[0]).toEqual({
      type: 'custom_validation_failed',
      message: 'Custom validation failed for node',
      details: 'image - Invalid image file: nope.png',
      extra_info: { input_name: 'image' },
    });
  });

  it('is converted to its type, and history shows the converted value', async () => {
    const body = `{"prompt": {"1": {"class_type": "Number", "inputs": {"value": {"__value__": " 8 "}}},
      "3": {"class_type": "PrimitiveFloat", "inputs": {"value": 8}},
      "4": {"class_type": "PrimitiveBoolean", "inputs": {"value": "false"}},
      "5": {"class_type": "PrimitiveString", "inputs": {"value": true}},
      "2": {"class_type": "Show", "inputs": {"value": ["1", -1]}, "_meta": {"title": "kept"}},
      "6": {"class_type": "PreviewAny", "inputs": {"source": ["3", 0]}},
      "7": {"class_type": "PreviewAny", "inputs": {"source": ["4", 0]}},
      "8": {"class_type": "PreviewAny", "inputs": {"source": ["5", 0]}}}, "prompt_id": "converted"}`;
    expect((await server.ask('POST', '/prompt', body)).status).toBe(200);
    while (!(await server.history('converted'))) await new Promise((resolve) => setTimeout(resolve, 1));
    const text = await (await server.ask('GET', '/history/converted')).text();
    expect(text).toContain('"inputs": {"value": 8}');
    expect(text).toContain('"inputs": {"value": 8.0}');
    expect(text).toContain('"_meta": {"title": "kept"}');
    expect((await server.history('converted'))!.outputs).toEqual({
      '2': { text: ['8'] },
      '6': { text: ['8.0'] },
      '7': { text: ['True'] },
      '8': { text: ['True'] },
    });
  });
});
