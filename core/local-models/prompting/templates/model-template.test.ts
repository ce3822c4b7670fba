import { describe, expect, test } from 'vitest';
import type { Message } from '../../base/messages.ts';
import { ModelTemplate, type TemplateInput } from './model-template.ts';

const chatml =
  '{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n';

function render(template: string, messages: Message[], rest: Partial<TemplateInput> = {}): string {
  return new ModelTemplate(template).render({ messages, tools: [], think: undefined, now: 0, ...rest });
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the weather',
    parameters: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', description: 'City <name>' } },
    },
  },
};

describe('messages', () => {
  test('the prompt opens a new turn of the assistant, also after a message of the assistant', () => {
    expect(render(chatml, [system('S'), user('Q'), assistant('A')])).toBe(
      '<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\nA<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('an empty line joins neighbors of the same role, except tool results', () => {
    const template = '{{ range .Messages }}[{{ .Role }}:{{ .Content }}]{{ end }}';
    const tool = (content: string): Message => ({ role: 'tool', content });
    expect(render(template, [user('a'), user('b'), tool('1'), tool('2'), user('c')])).toBe(
      '[user:a\n\nb][tool:1][tool:2][user:c]',
    );
  });

  test('.System has the text of all system messages', () => {
    expect(
      render('{{ .System }}|{{ range .Messages }}{{ .Role }} {{ end }}', [
        system('1'),
        user('q'),
        system('2'),
      ]),
    ).toBe('1\n\n2|system user system ');
  });

  test('an unknown role is rendered unchanged', () => {
    expect(render(chatml, [{ role: 'robot', content: 'x' }])).toBe(
      '<|im_start|>robot\nx<|im_end|>\n<|im_start|>assistant\n',
    );
  });
});

describe('tools', () => {
  test('print as compact JSON with the escapes of Go', () => {
    const printed =
      '{"type":"function","function":{"name":"get_weather","description":"Get the weather","parameters":{"type":"object","required":["city"],"properties":{"city":{"type":"string","description":"City \\u003cname\\u003e"}}}}}';
    const tools = [weather];
    expect(render('{{ range .Tools }}{{ . }}{{ end }}{{ .Messages }}', [], { tools })).toBe(`${printed}[]`);
    expect(render('{{ .Tools }}{{ if .Messages }}{{ end }}', [], { tools })).toBe(`[${printed}]`);
    expect(render('{{ json .Tools }}{{ if .Messages }}{{ end }}', [], { tools })).toBe(`[${printed}]`);
  });

  test('have fields', () => {
    const template =
      '{{ range .Tools }}{{ .Function.Name }}({{ range $name, $p := .Function.Parameters.Properties }}{{ $name }}: {{ $p.Type }} {{ toTypeScriptType $p }}{{ end }}) {{ .Function.Parameters.Required }}{{ end }}{{ if .Messages }}{{ end }}';
    expect(render(template, [], { tools: [weather] })).toBe('get_weather(city: string string) [city]');
  });

  test('calls of earlier turns have names and arguments', () => {
    const template =
      '{{ range .Messages }}{{ range .ToolCalls }}{{ .Function.Name }} {{ .Function.Arguments }} {{ json .Function.Arguments }}{{ range $k, $v := .Function.Arguments }} {{ $k }}={{ $v }}{{ end }}{{ end }}{{ end }}';
    const called: Message = {
      ...assistant(''),
      toolCalls: [{ name: 'f', arguments: { city: 'Paris', n: 2 } }],
    };
    expect(render(template, [called])).toBe('f {"city":"Paris","n":2} {"city":"Paris","n":2} city=Paris n=2');
  });
});

test('templates see think in three fields', () => {
  const template = '{{ if .Messages }}{{ end }}{{ .IsThinkSet }} {{ .Think }} {{ .ThinkLevel }}|';
  expect(render(template, [], { think: undefined })).toBe('false false |');
  expect(render(template, [], { think: false })).toBe('true false |');
  expect(render(template, [], { think: true })).toBe('true true |');
  expect(render(template, [], { think: 'high' })).toBe('true true high|');
});

describe('templates without messages', () => {
  test('run once for each turn, and the last run is cut at the response', () => {
    const template = '{{ if .System }}S:{{ .System }} {{ end }}U:{{ .Prompt }} A:{{ .Response }} END ';
    expect(render(template, [system('s'), user('1'), assistant('a'), user('2')])).toBe(
      'S:s U:1 A:a END U:2 A:',
    );
  });

  test('get the response appended if they do not mention it', () => {
    expect(render('<{{ .Prompt }}>', [user('1'), assistant('a'), user('2')])).toBe('<1>a<2>');
  });

  test('fill in the middle', () => {
    const template = '{{ if .Suffix }}<P>{{ .Prompt }}<S>{{ .Suffix }}<M>{{ else }}{{ .Prompt }}{{ end }}';
    expect(render(template, [], { infill: { prompt: 'a', suffix: 'b' } })).toBe('<P>a<S>b<M>');
    expect([...new ModelTemplate(template).fieldNames]).toContain('suffix');
  });
});

test('dates are in the time zone of the machine', () => {
  const noon = new Date(2026, 10, 21, 12).getTime();
  expect(render('{{ currentDate }} {{ yesterdayDate }}{{ if .Messages }}{{ end }}', [], { now: noon })).toBe(
    '2026-11-21 2026-11-20',
  );
});
