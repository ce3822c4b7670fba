import { expect, test } from 'vitest';
import type { Message } from '../types.ts';
import { type JinjaInput, JinjaTemplate } from './jinja-template.ts';

function render(template: string, messages: Message[], rest: Partial<JinjaInput> = {}): string {
  const input = { messages, tools: [], think: undefined, bosToken: '<s>', eosToken: '</s>', ...rest };
  return new JinjaTemplate(template).render(input);
}

const chat =
  '{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}';
const question: Message = { role: 'user', content: 'Q' };

test('has the tokens and opens an answer', () => {
  expect(render(chat, [question])).toBe('<s>[user]Q</s>[assistant]');
});

test('continues the answer that a conversation ends with', () => {
  expect(render(chat, [question, { role: 'assistant', content: 'The capital' }])).toBe(
    '<s>[user]Q</s>[assistant]The capital',
  );
});

test('gives tools and calls in the usual form', () => {
  const template =
    '{% for t in tools %}{{ t | tojson }}{% endfor %}{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}';
  const called: Message = { role: 'assistant', content: '', toolCalls: [{ name: 'f', arguments: { a: 1 } }] };
  expect(render(template, [called, question], { tools: [{ type: 'function' }] })).toBe(
    '{"type": "function"}f{"a": 1}',
  );
});

test('tells whether to think', () => {
  const template = "{{ 'set' if enable_thinking is defined else 'unset' }}{{ enable_thinking }}";
  expect(render(template, [], { think: false })).toBe('setfalse');
  expect(render(template, [])).toBe('unset');
});

test.each([
  ['{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}', 'takes too long'],
  [
    "{% set ns = namespace(t='xxxxxxxxxx') %}{% for a in range(60) %}{% set ns.t = ns.t + ns.t %}{% endfor %}",
    'writes too much text',
  ],
  ['{{ range(999999999) }}', 'takes too long'],
  ["{{ raise_exception('No system role.') }}", 'No system role.'],
  ['{{ nope() }}', 'Cannot call'],
])('stops %s', (template, message) => {
  expect(() => render(template, [])).toThrow(message);
});

test('refuses what is no template', () => {
  expect(() => new JinjaTemplate('{% if %}')).toThrow();
  expect(() => new JinjaTemplate('x'.repeat(600_000))).toThrow('too long');
});
