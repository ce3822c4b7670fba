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
  return { ...out, thought: parser.textBeforeAnswer };
}

type Row = [
  title: string,
  template: string,
  prompt: string,
  output: string,
  thinking: string,
  text: string,
  calls: ToolCall[],
];

const rows: Row[] = [
  [
    'thinks in a channel, then answers',
    HARMONY,
    HEAD,
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>',
    'Hm.',
    'Four.',
    [],
  ],
  [
    'answers without thinking',
    HARMONY,
    HEAD,
    '<|channel|>final<|message|>Four < five.',
    '',
    'Four < five.',
    [],
  ],
  [
    'continues in the channel that the prompt opened',
    HARMONY,
    `${HEAD}<|channel|>final<|message|>`,
    'Four.<|return|>',
    '',
    'Four.',
    [],
  ],
  [
    'thinks, then calls a tool',
    HARMONY,
    HEAD,
    '<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>',
    'Look.',
    '',
    [call],
  ],
  [
    'names the function before its channel',
    HARMONY,
    HEAD,
    ' to=functions.get_weather<|channel|>commentary json<|message|>{"city":"Paris"}',
    '',
    '',
    [call],
  ],
  [
    'comments, then calls a tool',
    HARMONY,
    HEAD,
    '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather<|message|>{"city":"Paris"}<|call|>',
    '',
    'I look.',
    [call],
  ],
  [
    'calls a tool that the request does not have',
    HARMONY,
    HEAD,
    '<|channel|>commentary to=functions.nope<|message|>{}<|call|>',
    '',
    '<|channel|>commentary to=functions.nope<|message|>{}',
    [],
  ],
  [
    'stops inside a call',
    HARMONY,
    HEAD,
    '<|channel|>commentary to=functions.get_weather<|message|>{"ci',
    '',
    '<|channel|>commentary to=functions.get_weather<|message|>{"ci',
    [],
  ],
  ['ignores its output format', HARMONY, HEAD, 'Hello there.', '', 'Hello there.', []],
  ['stops while it thinks', HARMONY, HEAD, '<|channel|>analysis<|message|>So <|en', 'So <|en', '', []],
  [
    'thinks between tags, then calls a tool',
    '<think></think><tool_call>',
    '',
    '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    'Hm.\n',
    '',
    [call],
  ],
  [
    'writes a call as part of its thinking',
    '<think></think><tool_call>',
    '<think>\n',
    'maybe <tool_call>{"name": "get_weather"}</tool_call></think>No.',
    'maybe <tool_call>{"name": "get_weather"}</tool_call>',
    'No.',
    [],
  ],
  [
    'writes its answer between tags',
    '<|START_THINKING|><|START_RESPONSE|><|START_ACTION|>',
    '',
    '<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>',
    'Hm.',
    'Yes.',
    [],
  ],
  [
    'writes its calls between tags of Command',
    '<|START_THINKING|><|START_RESPONSE|><|START_ACTION|>',
    '',
    '<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
    'Hm.',
    '',
    [call],
  ],
  [
    'thinks and answers between tags of Granite',
    '<|start_of_role|><think></think><response></response>',
    '',
    '<think>Hm.</think><response>Yes.</response>',
    'Hm.',
    'Yes.',
    [],
  ],
  [
    'thinks between tags of Gemma',
    '<|turn>model\n<|channel>thought\n',
    '',
    '<|channel>thought\nHm.<channel|>Yes.',
    'Hm.',
    'Yes.',
    [],
  ],
];

describe('output of a model that', () => {
  test.each(rows)('%s', (_, template, prompt, output, thinking, text, calls) => {
    const form = outputForm({ template, tools, think: true });
    const atOnce = parse(form, [output], prompt);
    expect(atOnce).toMatchObject({ thinking, text, calls });
    for (let at = 1; at < output.length; at++) {
      expect([at, parse(form, [output.slice(0, at), output.slice(at)], prompt)]).toEqual([at, atOnce]);
    }
    expect(parse(form, [...output], prompt)).toEqual(atOnce);
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
])('%s: textBeforeAnswer ends where the answer begins', (template, prompt, output, thought) => {
  const form = outputForm({ template, tools: [], think: true });
  const parser = form.parser(prompt);
  for (const piece of output) parser.push(piece);
  expect(parser.textBeforeAnswer).toBe(thought);
  expect(form.thinks).toBe(true);
  const answer = form.answerParser();
  expect([...answer.push('{}'), ...answer.end()]).toEqual([{ text: '{}' }]);
});

test('textBeforeAnswer is undefined while the model may still think', () => {
  expect(
    outputForm({ template: '<think>', tools: [], think: true }).parser('<think>').textBeforeAnswer,
  ).toBeUndefined();
  expect(
    outputForm({ template: HARMONY, tools: [], think: true }).parser(HEAD).textBeforeAnswer,
  ).toBeUndefined();
});

test('without thinking, its tags are text', () => {
  const form = outputForm({ template: '<think></think>', tools: [], think: false });
  expect(parse(form, ['a</think>b'])).toMatchObject({ text: 'a</think>b', thinking: '' });
});

test('the parser passthrough returns all output as text', () => {
  const form = outputForm({ template: HARMONY, parser: 'passthrough', tools: [], think: true });
  expect(parse(form, ['<think>a</think>'])).toMatchObject({ text: '<think>a</think>' });
});
