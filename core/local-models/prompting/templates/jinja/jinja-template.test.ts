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

test('passes the special tokens and opens an answer', () => {
  expect(render(chat, [question])).toBe('<s>[user]Q</s>[assistant]');
});

test('continues the answer that a conversation ends with', () => {
  expect(render(chat, [question, { role: 'assistant', content: 'The capital' }])).toBe(
    '<s>[user]Q</s>[assistant]The capital',
  );
});

test('passes tools and calls in the form of OpenAI', () => {
  const template =
    '{% for t in tools %}{{ t | tojson }}{% endfor %}{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}';
  const called: Message = { role: 'assistant', content: '', toolCalls: [{ name: 'f', arguments: { a: 1 } }] };
  expect(render(template, [called, question], { tools: [{ type: 'function' }] })).toBe(
    '{"type": "function"}f{"a": 1}',
  );
});

test('passes whether to think', () => {
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
])('%s fails', (template, message) => {
  expect(() => render(template, [])).toThrow(message);
});

test('a source that is no template is refused', () => {
  expect(() => new JinjaTemplate('{% if %}')).toThrow();
  expect(() => new JinjaTemplate('x'.repeat(600_000))).toThrow('too long');
});

describe('a template gets', () => {
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

  test('arguments as text, if it prints them as text', () => {
    const template =
      "{% for m in messages %}{% if m.content %}{{ m.content }}{% endif %}{% for c in m.tool_calls or [] %}{{ c.function.name + '(' + c.function.arguments + ')' }}{% endfor %}{% endfor %}";
    expect(render(template, called)).toBe('Qf({"city":"Paris"})22C');
  });

  test('null as content of calls, if it requires that', () => {
    const template =
      "{% for m in messages %}{% if m.role == 'assistant' and m.content is none %}{% for c in m.tool_calls %}<{{ c.function.name }} {{ c.function.arguments | tojson }}>{% endfor %}{% else %}{{ m.content }}{% endif %}{% endfor %}";
    expect(render(template, called)).toBe('Q<f {"city": "Paris"}>22C');
  });

  test('calls as text, if it does not print calls', () => {
    expect(render(turns, called)).toBe(
      '[user]Q[assistant]{"name":"f","arguments":{"city":"Paris"}}[tool]22C',
    );
    expect(render(`${turns}{# <|tool_call|> #}`, called)).toBe(
      '[user]Q[assistant]<|tool_call|>[{"name":"f","arguments":{"city":"Paris"}}][tool]22C',
    );
  });

  test('system messages and tool results as messages of the user, if roles must alternate', () => {
    const template = `{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate.') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`;
    const system: Message = { role: 'system', content: 'S' };
    expect(render(template, [system, ...called])).toBe(
      '[user]S\n\nQ[assistant]{"name":"f","arguments":{"city":"Paris"}}[user]f: 22C',
    );
    expect(render(template, [system])).toBe('[user]S');
  });

  test('a system message as part of the question, if it prints no system messages', () => {
    const template =
      "{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endif %}{% endfor %}";
    expect(render(template, [{ role: 'system', content: 'S' }, question])).toBe('[user]S\n\nQ');
  });

  test('the role system in place of developer, unless it knows that role', () => {
    const developer: Message = { role: 'developer', content: 'S' };
    expect(render(turns, [developer, question])).toBe('[system]S[user]Q');
    expect(render(`${turns}{# developer #}`, [developer, question])).toBe('[developer]S[user]Q');
  });

  test('ids of the length that it requires, the same in call and result', () => {
    const template = `{% for m in messages %}{% for c in m.tool_calls or [] %}{% if c.id is not defined or c.id | length != 9 %}{{ raise_exception('ids!') }}{% endif %}({{ c.id }} {{ c.function.arguments | tojson }}){% endfor %}{% if m.role == 'tool' %}({{ m.tool_call_id }}){% endif %}{{ m.content }}{% endfor %}`;
    const text = render(template, called);
    expect(text).toMatch(/^Q\(([a-z0-9]{9}) \{"city": "Paris"\}\)\(\1\)22C$/);
  });

  test('an empty list of tools, if it requires a list', () => {
    expect(render('{% for t in tools %}x{% endfor %}{{ messages[0].content }}', [question])).toBe('Q');
  });

  test('every form in vain: then its first error is thrown', () => {
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

  test('text next to thinking and calls becomes thinking', () => {
    const message: Message = {
      role: 'assistant',
      content: 'I look.',
      thinking: 'Hm.',
      toolCalls: [{ name: 'f', arguments: {} }],
    };
    expect(render(harmony, [question, message])).toContain('analysis<|message|>Hm.\n\nI look.<|end|>');
  });

  test('the beginning of an answer is put in the final channel', () => {
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
])('%s prints as in Python', (template, text) => {
  const tools = [{ type: 'function', n: 1, no: null, yes: true, list: ["it's", 'a\n"'] }];
  expect(render(template, [question], { tools })).toBe(text);
});

test('filters see an undefined value as an empty text', () => {
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
])('template %# exceeds a limit in time', (template, message) => {
  const before = performance.now();
  expect(() => render(template, [question])).toThrow(message);
  expect(performance.now() - before).toBeLessThan(10_000);
});
