/**
 * Prints published templates, and parses what they print.
 * The file `published-templates.json` has digests of the prompts that jinja2 3.1
 * prints for the same conversations, set up as in transformers. Its `own` lists intended differences: calls, results or
 * a system message that the template alone would refuse or lose.
 * A second test takes each model's notation for calls from its template and parses it.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { publishedTemplates } from '#test/support/local-models/published-templates.ts';
import type { Message, Tool } from '../../base/messages.ts';
import { outputForm } from '../output/output-form.ts';
import { toolCallFamily } from '../output/tool-calls/families.ts';
import { type JinjaInput, JinjaTemplate } from './jinja/jinja-template.ts';
import expected from './published-templates.json' with { type: 'json' };

interface Expected {
  /** The family of its tool calls. Null: they are not parsed and remain text. */
  calls: string | null;
  /** First 12 digits of the SHA-256 of jinja2's output. */
  prompts: Record<string, string>;
  own?: Record<string, string>;
}

const templates = await publishedTemplates();
// Some templates print the date.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 22, 12) });
});
afterAll(() => {
  vi.useRealTimers();
});

const weather: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'City' },
        days: { type: 'integer', description: 'Days' },
      },
      required: ['city'],
    },
  },
};
const call = { name: 'get_weather', arguments: { city: 'Paris', days: 2 } };
const user = (content: string): Message => ({ role: 'user', content });
const system: Message = { role: 'system', content: 'Be brief.' };
const turns = [user('Question one?'), { role: 'assistant', content: 'Answer one.' }, user('Question two?')];
const called: Message[] = [
  user('Weather in Paris?'),
  { role: 'assistant', content: '', toolCalls: [{ id: 'abcdefghi', ...call }] },
  { role: 'tool', content: '22C', toolName: 'get_weather', toolCallId: 'abcdefghi' },
];

const CONVERSATIONS: Record<string, Partial<JinjaInput>> = {
  turns: { messages: turns },
  system: { messages: [system, ...turns] },
  thinking: { messages: [user('Q?')], think: true },
  silent: { messages: [user('Q?')], think: false },
  tools: { messages: [system, user('Weather?')], tools: [weather] },
  calls: { messages: called, tools: [weather] },
};

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
const render = (template: JinjaTemplate, input: Partial<JinjaInput>) =>
  template.render({ messages: [], tools: [], think: undefined, bosToken: '<s>', eosToken: '</s>', ...input });

/** The template's rendering of a call: the text between the question and the result. */
function renderedCall(template: JinjaTemplate): { prompt: string; answer: string } {
  const prompt = render(template, { messages: called.slice(0, 1), tools: [weather] });
  const conversation = render(template, { messages: called, tools: [weather] });
  let at = 0;
  while (at < prompt.length && prompt[at] === conversation[at]) at++;
  // When both texts differ inside a tag, the tag is part of the answer.
  const tag = /<[^<>]*$/.exec(conversation.slice(0, at));
  if (at < prompt.length && tag) at = tag.index;
  return { prompt, answer: conversation.slice(at, conversation.lastIndexOf('22C')) };
}

test('every template of the list exists', () => {
  expect(Object.keys(expected)).toEqual([...templates.keys()].filter((name) => name in expected));
  expect(Object.keys(expected).length).toBeGreaterThan(60);
});

test.each([
  ['ByteDance-Seed-OSS.jinja', 'Object keys must be strings'],
  ['fireworks-ai-llama-3-firefunction-v2.jinja', 'undefined'],
  ['tencent-Hy3.jinja', 'not a function'],
])('%s fails, because it needs a feature that the library lacks', (name, reason) => {
  const template = new JinjaTemplate(templates.get(name)!);
  expect(() => render(template, { messages: turns })).toThrow(reason);
});

describe.each(Object.entries(expected as Record<string, Expected>))('%s', (name, { calls, prompts, own }) => {
  const template = () => new JinjaTemplate(templates.get(name)!);

  test.each(Object.entries({ ...prompts, ...own }))(
    'prints the conversation %s',
    (conversation, expectedDigest) => {
      const text = render(template(), CONVERSATIONS[conversation]!);
      expect(digest(text), text).toBe(expectedDigest);
    },
  );

  test(calls ? 'its calls are parsed' : 'its calls remain text', () => {
    const { prompt, answer } = renderedCall(template());
    const source = templates.get(name)!;
    const parser = outputForm({ template: source, tools: [weather], think: false }).parser(prompt);
    const pieces = [...answer].flatMap((character) => parser.push(character));
    const found = [...pieces, ...parser.end()].flatMap((piece) => ('calls' in piece ? piece.calls : []));
    expect(found, answer).toEqual(calls ? [call] : []);
    if (calls && calls !== 'harmony') expect(toolCallFamily(source).name).toBe(calls);
  });
});
