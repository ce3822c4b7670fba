import { describe, expect, test } from 'vitest';
import type { Message } from '#core/local-models/base/messages.ts';
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

describe('a template gets a conversation in the form that it knows', () => {
  const called: Message[] = [
    question,
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'f', arguments: { city: 'Paris' } }],
    },
    { role: 'tool', content: '22C', toolName: 'f', toolCallId: 'call_1' },
  ];
  const turns = '{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}';

  test('arguments as text', () => {
    const template =
      "{% for m in messages %}{% if m.content %}{{ m.content }}{% endif %}{% for c in m.tool_calls or [] %}{{ c.function.name + '(' + c.function.arguments + ')' }}{% endfor %}{% endfor %}";
    expect(render(template, called)).toBe('Qf({"city":"Paris"})22C');
  });

  test('calls without content', () => {
    const template =
      "{% for m in messages %}{% if m.role == 'assistant' and m.content is none %}{% for c in m.tool_calls %}<{{ c.function.name }} {{ c.function.arguments | tojson }}>{% endfor %}{% else %}{{ m.content }}{% endif %}{% endfor %}";
    expect(render(template, called)).toBe('Q<f {"city": "Paris"}>22C');
  });

  test('calls as text, where it has no form for them', () => {
    expect(render(turns, called)).toBe(
      '[user]Q[assistant]{"name":"f","arguments":{"city":"Paris"}}[tool]22C',
    );
    expect(render(`${turns}{# <|tool_call|> #}`, called)).toBe(
      '[user]Q[assistant]<|tool_call|>[{"name":"f","arguments":{"city":"Paris"}}][tool]22C',
    );
  });

  test('a system message and results of tools from the user, where it has turns of two only', () => {
    const template = `{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate.') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`;
    const system: Message = { role: 'system', content: 'S' };
    expect(render(template, [system, ...called])).toBe(
      '[user]S\n\nQ[assistant]{"name":"f","arguments":{"city":"Paris"}}[user]f: 22C',
    );
    expect(render(template, [system])).toBe('[user]S');
  });

  test('a system message that it would leave out goes before the question', () => {
    const template =
      "{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endif %}{% endfor %}";
    expect(render(template, [{ role: 'system', content: 'S' }, question])).toBe('[user]S\n\nQ');
  });

  test('what a developer says as a system message, where it knows no developers', () => {
    const developer: Message = { role: 'developer', content: 'S' };
    const known = '{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}';
    expect(render(known, [developer, question])).toBe('[system]S[user]Q');
    expect(render(`${known}{# developer #}`, [developer, question])).toBe('[developer]S[user]Q');
  });

  test('ids of the length that it asks for, the same in call and result', () => {
    const template = `{% for m in messages %}{% for c in m.tool_calls or [] %}{% if c.id is not defined or c.id | length != 9 %}{{ raise_exception('ids!') }}{% endif %}({{ c.id }} {{ c.function.arguments | tojson }}){% endfor %}{% if m.role == 'tool' %}({{ m.tool_call_id }}){% endif %}{{ m.content }}{% endfor %}`;
    const text = render(template, called);
    expect(text).toMatch(/^Q\(([a-z0-9]{9}) \{"city": "Paris"\}\)\(\1\)22C$/);
  });

  test('an empty list of tools, where it counts on one', () => {
    expect(render('{% for t in tools %}x{% endfor %}{{ messages[0].content }}', [question])).toBe('Q');
  });

  test('what it says of it, when no form helps', () => {
    expect(() => render("{{ raise_exception('Never.') }}", [question])).toThrow('Never.');
  });
});

describe('Harmony', () => {
  const harmony = `{{ '<|start|>system<|message|>Reasoning: ' + reasoning_effort | default('medium') }}{% for m in messages %}{% if m.tool_calls is defined %}{% if m.content and m.thinking %}{{ raise_exception('both') }}{% endif %}<|start|>assistant<|channel|>analysis<|message|>{{ m.thinking }}<|end|><|start|>assistant to=functions.{{ m.tool_calls[0].function.name }}<|channel|>commentary json<|message|>{{ m.tool_calls[0].function.arguments | tojson }}<|call|>{% else %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}{% if add_generation_prompt %}<|start|>assistant{% endif %}`;

  test.each([
    ['low', 'low'],
    ['max', 'high'],
    [true, 'medium'],
    [false, 'low'],
    [undefined, 'medium'],
  ] as const)('think %s is the level %s', (think, level) => {
    expect(render(harmony, [question], { think })).toBe(
      `<|start|>system<|message|>Reasoning: ${level}<|start|>user<|message|>Q<|end|><|start|>assistant`,
    );
  });

  test('text beside thinking and calls is thought', () => {
    const message: Message = {
      role: 'assistant',
      content: 'I look.',
      thinking: 'Hm.',
      toolCalls: [{ name: 'f', arguments: {} }],
    };
    expect(render(harmony, [question, message])).toContain('analysis<|message|>Hm.\n\nI look.<|end|>');
  });

  test('an answer that is begun goes on in its channel', () => {
    expect(render(harmony, [question, { role: 'assistant', content: 'The' }])).toMatch(
      /<\|start\|>assistant<\|channel\|>final<\|message\|>The$/,
    );
  });
});

test.each([
  [
    '{{ tools[0] | string }}',
    `{'type': 'function', 'n': 1, 'no': None, 'yes': True, 'list': ["it's", 'a\\n"']}`,
  ],
  ['{% for a, b in [(1, 2), (3, 4)] %}{{ a }}-{{ b }} {% endfor %}', '1-2 3-4 '],
])('%s is as in Python', (template, text) => {
  const tools = [{ type: 'function', n: 1, no: null, yes: true, list: ["it's", 'a\n"'] }];
  expect(render(template, [question], { tools })).toBe(text);
});

test('an undefined value is an empty text to filters', () => {
  expect(render('[{{ messages[0].nothing | trim }}]', [question])).toBe('[]');
});

test.each<[string, string | RegExp]>([
  [
    '{% set ns = namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a | tojson }}',
    'too',
  ],
  [
    '{% set ns = namespace(a=[1]) %}{% for i in range(5000) %}{% set ns.a = [ns.a] %}{% endfor %}{{ ns.a | tojson }}',
    'too deeply',
  ],
  [
    "{% set ns = namespace(t='xxxxxxxxxx') %}{% for a in range(18) %}{% set ns.t = ns.t + ns.t %}{% endfor %}{{ range(90000) | join(ns.t) }}",
    'too much text',
  ],
  [
    "{% set ns = namespace(t='xxxxxxxxxx') %}{% for a in range(18) %}{% set ns.t = ns.t + ns.t %}{% endfor %}{{ ns.t.replace('x', ns.t) }}",
    'too',
  ],
  [
    "{% set ns = namespace(t='xxxxxxxxxx') %}{% for a in range(18) %}{% set ns.t = ns.t + ns.t %}{% endfor %}{{ ns.t | replace('x', ns.t) }}",
    'too',
  ],
  ["{{ 'a\\nb' | indent(width=100000000) }}", 'indents too far'],
  ['{{ messages | tojson(indent=100000000) }}', 'indents too far'],
  ['{% macro f(x) %}{{ f(x) }}{{ f(x) }}{% endmacro %}{{ f(1) }}', /./],
  [
    '{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}',
    'too long',
  ],
  [`${'{% if true %}'.repeat(20_000)}${'{% endif %}'.repeat(20_000)}`, 'too deeply nested'],
  [`{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`, 'too deeply nested'],
  [`{{ ${'not '.repeat(50_000)}1 }}`, 'too deeply nested'],
])('is stopped within its limits: %#', (template, message) => {
  const before = performance.now();
  expect(() => render(template, [question])).toThrow(message);
  expect(performance.now() - before).toBeLessThan(10_000);
});
