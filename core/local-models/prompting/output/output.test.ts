import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../base/messages.ts';
import { type OutputForm, outputForm } from './output-form.ts';

const tools = [
  {
    type: 'function',
    function: { name: 'get_weather', parameters: { properties: { city: { type: 'string' } } } },
  },
];
const call: ToolCall = { name: 'get_weather', arguments: { city: 'Paris' } };
const HARMONY = '<|start|>{{ role }}<|channel|>{{ channel }}<|message|>';
const HEAD = '<|start|>assistant';

function parse(form: OutputForm, pieces: string[], prompt = '') {
  const parser = form.parser(prompt);
  const out = { thinking: '', text: '', calls: [] as ToolCall[] };
  const take = (all: ReturnType<typeof parser.push>) => {
    for (const piece of all) {
      if ('text' in piece) out.text += piece.text;
      else if ('thinking' in piece) out.thinking += piece.thinking;
      else out.calls.push(...piece.calls);
    }
  };
  for (const piece of pieces) take(parser.push(piece));
  take(parser.end());
  return { ...out, thought: parser.thought };
}

type Row = [
  what: string,
  template: string,
  prompt: string,
  output: string,
  thinking: string,
  text: string,
  calls: ToolCall[],
];

const rows: Row[] = [
  [
    'thinks, then answers',
    HARMONY,
    HEAD,
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>',
    'Hm.',
    'Four.',
    [],
  ],
  ['answers at once', HARMONY, HEAD, '<|channel|>final<|message|>Four < five.', '', 'Four < five.', []],
  [
    'goes on in its channel',
    HARMONY,
    `${HEAD}<|channel|>final<|message|>`,
    'Four.<|return|>',
    '',
    'Four.',
    [],
  ],
  [
    'calls',
    HARMONY,
    HEAD,
    '<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>',
    'Look.',
    '',
    [call],
  ],
  [
    'is addressed before its channel',
    HARMONY,
    HEAD,
    ' to=functions.get_weather<|channel|>commentary json<|message|>{"city":"Paris"}',
    '',
    '',
    [call],
  ],
  [
    'says what it will do',
    HARMONY,
    HEAD,
    '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather<|message|>{"city":"Paris"}<|call|>',
    '',
    'I look.',
    [call],
  ],
  [
    'calls what is not there',
    HARMONY,
    HEAD,
    '<|channel|>commentary to=functions.nope<|message|>{}<|call|>',
    '',
    '<|channel|>commentary to=functions.nope<|message|>{}',
    [],
  ],
  [
    'is cut in a call',
    HARMONY,
    HEAD,
    '<|channel|>commentary to=functions.get_weather<|message|>{"ci',
    '',
    '<|channel|>commentary to=functions.get_weather<|message|>{"ci',
    [],
  ],
  ['forgets its form', HARMONY, HEAD, 'Hello there.', '', 'Hello there.', []],
  ['is cut while thinking', HARMONY, HEAD, '<|channel|>analysis<|message|>So <|en', 'So <|en', '', []],
  [
    'thinks and calls',
    '<think></think><tool_call>',
    '',
    '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    'Hm.\n',
    '',
    [call],
  ],
  [
    'does not call while it thinks',
    '<think></think><tool_call>',
    '<think>\n',
    'maybe <tool_call>{"name": "get_weather"}</tool_call></think>No.',
    'maybe <tool_call>{"name": "get_weather"}</tool_call>',
    'No.',
    [],
  ],
  [
    'stands between tags',
    '<|START_THINKING|><|START_RESPONSE|><|START_ACTION|>',
    '',
    '<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>',
    'Hm.',
    'Yes.',
    [],
  ],
  [
    'acts between tags',
    '<|START_THINKING|><|START_RESPONSE|><|START_ACTION|>',
    '',
    '<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
    'Hm.',
    '',
    [call],
  ],
  [
    'thinks as Granite',
    '<|start_of_role|><think></think><response></response>',
    '',
    '<think>Hm.</think><response>Yes.</response>',
    'Hm.',
    'Yes.',
    [],
  ],
  [
    'thinks as Gemma',
    '<|turn>model\n<|channel>thought\n',
    '',
    '<|channel>thought\nHm.<channel|>Yes.',
    'Hm.',
    'Yes.',
    [],
  ],
];

describe('output', () => {
  test.each(rows)('that %s', (_, template, prompt, output, thinking, text, calls) => {
    const form = outputForm({ template, tools, think: true });
    const whole = parse(form, [output], prompt);
    expect(whole).toMatchObject({ thinking, text, calls });
    for (let at = 1; at < output.length; at++) {
      expect([at, parse(form, [output.slice(0, at), output.slice(at)], prompt)]).toEqual([at, whole]);
    }
    expect(parse(form, [...output], prompt)).toEqual(whole);
  });
});

test.each([
  ['<think></think>', '', '<think>a</think>\n{"x', '<think>a</think>'],
  ['<think></think>', '<think>', 'a</think>\n{"x', 'a</think>'],
  ['<think></think>', '', '{"x": 1}', ''],
  [
    HARMONY,
    HEAD,
    '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>{',
    '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>',
  ],
  [HARMONY, HEAD, '<|channel|>final<|message|>{', '<|channel|>final<|message|>'],
  [HARMONY, HEAD, 'Hello', '<|channel|>final<|message|>'],
])(
  '%s: the answer alone follows a prompt that ends with the thinking',
  (template, prompt, output, thought) => {
    const form = outputForm({ template, tools: [], think: true });
    const parser = form.parser(prompt);
    for (const piece of output) parser.push(piece);
    expect(parser.thought).toBe(thought);
    expect(form.thinks).toBe(true);
    const answer = form.answerParser();
    expect([...answer.push('{}'), ...answer.end()]).toEqual([{ text: '{}' }]);
  },
);

test('while it may still think, nothing is decided', () => {
  expect(
    outputForm({ template: '<think>', tools: [], think: true }).parser('<think>').thought,
  ).toBeUndefined();
  expect(outputForm({ template: HARMONY, tools: [], think: true }).parser(HEAD).thought).toBeUndefined();
});

test('without thinking, tags are text', () => {
  const form = outputForm({ template: '<think></think>', tools: [], think: false });
  expect(parse(form, ['a</think>b'])).toMatchObject({ text: 'a</think>b', thinking: '' });
});

test('a model may be told to pass everything on', () => {
  const form = outputForm({ template: HARMONY, parser: 'passthrough', tools: [], think: true });
  expect(parse(form, ['<think>a</think>'])).toMatchObject({ text: '<think>a</think>' });
});
