/**
 * Templates as the makers of models publish them. What they print is held against what jinja2 3.1 prints of the same
 * conversations, set up as transformers does, kept as digests in `published-templates.json`; under `own` stands what is printed
 * otherwise here, on purpose: calls, results or a system message that the template alone would refuse or lose. Then each
 * model's own way to write a call is taken from its template and has to be read back.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { publishedTemplates } from '#test/support/published-templates.ts';
import type { Message, Tool } from '../../base/messages.ts';
import { outputForm } from '../output/output-form.ts';
import { toolCallFamily } from '../output/tool-calls/families.ts';
import { type JinjaInput, JinjaTemplate } from './jinja/jinja-template.ts';
import expected from './published-templates.json' with { type: 'json' };

interface Expected {
  /** The form of its calls; null: one that is not read here, so that they stay text. */
  calls: string | null;
  /** First 12 digits of the SHA-256 of what jinja2 prints. */
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

/** What the template writes where the model would: between the question and what comes back. */
function writtenCall(template: JinjaTemplate): { prompt: string; answer: string } {
  const prompt = render(template, { messages: called.slice(0, 1), tools: [weather] });
  const whole = render(template, { messages: called, tools: [weather] });
  let at = 0;
  while (at < prompt.length && prompt[at] === whole[at]) at++;
  // A tag that both only begin alike belongs to the answer.
  const tag = /<[^<>]*$/.exec(whole.slice(0, at));
  if (at < prompt.length && tag) at = tag.index;
  return { prompt, answer: whole.slice(at, whole.lastIndexOf('22C')) };
}

test('all of them are there', () => {
  expect(Object.keys(expected)).toEqual([...templates.keys()].filter((name) => name in expected));
  expect(Object.keys(expected).length).toBeGreaterThan(60);
});

test.each([
  ['ByteDance-Seed-OSS.jinja', 'Object keys must be strings'],
  ['fireworks-ai-llama-3-firefunction-v2.jinja', 'undefined'],
  ['tencent-Hy3.jinja', 'not a function'],
])('%s needs what there is not, and says so', (name, reason) => {
  const template = new JinjaTemplate(templates.get(name)!);
  expect(() => render(template, { messages: turns })).toThrow(reason);
});

describe.each(Object.entries(expected as Record<string, Expected>))('%s', (name, { calls, prompts, own }) => {
  const template = () => new JinjaTemplate(templates.get(name)!);

  test.each(Object.entries({ ...prompts, ...own }))('prints %s', (conversation, wanted) => {
    const text = render(template(), CONVERSATIONS[conversation]!);
    expect(digest(text), text).toBe(wanted);
  });

  test(calls ? 'its calls are read' : 'its calls stay text', () => {
    const { prompt, answer } = writtenCall(template());
    const source = templates.get(name)!;
    const parser = outputForm({ template: source, tools: [weather], think: false }).parser(prompt);
    const pieces = [...answer].flatMap((character) => parser.push(character));
    const found = [...pieces, ...parser.end()].flatMap((piece) => ('calls' in piece ? piece.calls : []));
    expect(found, answer).toEqual(calls ? [call] : []);
    if (calls && calls !== 'harmony') expect(toolCallFamily(source).name).toBe(calls);
  });
});
