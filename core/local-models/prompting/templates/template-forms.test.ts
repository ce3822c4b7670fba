/** Templates in the style of published ones, written for these tests: prompts, recognized formats, parsed output. */
import { describe, expect, test } from 'vitest';
import type { Message } from '../../base/messages.ts';
import { outputForm } from '../output/output-form.ts';
import { templateThinks, thinkingTags } from '../output/thinking.ts';
import { toolCallFamily } from '../output/tool-calls/families.ts';
import { ModelTemplate, type TemplateInput } from './model-template.ts';

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the weather',
    parameters: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', description: 'City' } },
    },
  },
};
const TOOL =
  '{"type":"function","function":{"name":"get_weather","description":"Get the weather","parameters":{"type":"object","required":["city"],"properties":{"city":{"type":"string","description":"City"}}}}}';

const history: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: '',
    thinking: 'I look.',
    toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
  },
  { role: 'tool', content: '4C', toolName: 'get_weather' },
];

/** ChatML with tags, thinking on and off. The template recognizes the last message by its index. */
const qwen = `{{- $lastUserIdx := -1 -}}
{{- range $idx, $msg := .Messages -}}
{{- if eq $msg.Role "user" }}{{ $lastUserIdx = $idx }}{{ end -}}
{{- end }}
{{- if or .System .Tools }}<|im_start|>system
{{ .System }}
{{- if .Tools }}

# Tools
<tools>
{{- range .Tools }}
{"type": "function", "function": {{ .Function }}}
{{- end }}
</tools>
Answer with <tool_call>{"name": <name>, "arguments": <args>}</tool_call>.
{{- end -}}
<|im_end|>
{{ end }}
{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 -}}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}
{{- if and $.IsThinkSet (eq $i $lastUserIdx) }}
   {{- if $.Think -}}
      {{- " "}}/think
   {{- else -}}
      {{- " "}}/no_think
   {{- end -}}
{{- end }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ if (and $.IsThinkSet (and .Thinking (or $last (gt $i $lastUserIdx)))) -}}
<think>{{ .Thinking }}</think>
{{ end -}}
{{ if .Content }}{{ .Content }}
{{- else if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{ end }}</tool_call>
{{- end }}{{ if not $last }}<|im_end|>
{{ end }}
{{- else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant
{{ if and $.IsThinkSet (not $.Think) -}}
<think>

</think>

{{ end -}}
{{ end }}
{{- end }}`;

/** Headers, tools in the last message of the user, calls with parameters. */
const llama = `{{- if or .System .Tools }}<|start_header_id|>system<|end_header_id|>
{{- if .System }}

{{ .System }}
{{- end }}
{{- if .Tools }}

Today is {{ currentDate }}.
{{- end }}<|eot_id|>
{{- end }}
{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 }}
{{- if eq .Role "user" }}<|start_header_id|>user<|end_header_id|>

{{ if and $.Tools $last }}{{ range $.Tools }}{{- . }}{{ end }}
{{ end }}{{ .Content }}<|eot_id|>{{ if $last }}<|start_header_id|>assistant<|end_header_id|>

{{ end }}
{{- else if eq .Role "assistant" }}<|start_header_id|>assistant<|end_header_id|>
{{- if .ToolCalls }}

{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}
{{- else }}

{{ .Content }}
{{- end }}{{ if not $last }}<|eot_id|>{{ end }}
{{- else if eq .Role "tool" }}<|start_header_id|>ipython<|end_header_id|>

{{ .Content }}<|eot_id|>{{ if $last }}<|start_header_id|>assistant<|end_header_id|>

{{ end }}
{{- end }}
{{- end }}`;

/** Tools before the last question, in their own brackets. */
const mistral = `{{- range $index, $_ := .Messages }}
{{- if eq .Role "user" }}
{{- if and (le (len (slice $.Messages $index)) 3) $.Tools }}[AVAILABLE_TOOLS] {{ $.Tools }}[/AVAILABLE_TOOLS]
{{- end }}[INST] {{ if and (eq (len (slice $.Messages $index)) 1) $.System }}{{ $.System }}

{{ end }}{{ .Content }}[/INST]
{{- else if eq .Role "assistant" }}
{{- if .Content }} {{ .Content }}</s>
{{- else if .ToolCalls }}[TOOL_CALLS] [
{{- range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{- end }}]</s>
{{- end }}
{{- else if eq .Role "tool" }}[TOOL_RESULTS] {"content": {{ .Content }}}[/TOOL_RESULTS]
{{- end }}
{{- end }}`;

/** Types of parameters as TypeScript, levels of thinking, nested templates, `break`. */
const typed = `{{- define "type" }}{{ range $name, $p := .Function.Parameters.Properties }}{{ $name }}: {{ toTypeScriptType $p }}{{ end }}{{ end -}}
{{ with .ThinkLevel }}Reasoning: {{ . }}
{{ else }}Reasoning: medium
{{ end }}{{ range .Tools }}{{ .Function.Name }}({{ template "type" . }})
{{ end }}{{ range .Messages }}{{ if eq .Role "tool" }}{{ break }}{{ end }}{{ if ne .Role "user" }}{{ continue }}{{ end }}[{{ .Content | printf "%q" }}]{{ end }}`;

const render = (template: string, rest: Partial<TemplateInput> = {}) =>
  new ModelTemplate(template).render({
    messages: history,
    tools: [weather],
    think: undefined,
    now: 0,
    ...rest,
  });

describe('a template with <tool_call> and <think>', () => {
  const system = `<|im_start|>system\nBe brief.\n\n# Tools\n<tools>\n{"type": "function", "function": ${TOOL.slice(TOOL.indexOf('{"name"'), -1)}}\n</tools>\nAnswer with <tool_call>{"name": <name>, "arguments": <args>}</tool_call>.<|im_end|>\n`;
  const call = '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Oslo"}}\n</tool_call><|im_end|>\n';
  const result = '<|im_start|>user\n<tool_response>\n4C\n</tool_response><|im_end|>\n<|im_start|>assistant\n';

  test.each<[boolean | undefined, string, string, string]>([
    [undefined, '', '', ''],
    [true, ' /think', '<think>I look.</think>\n', ''],
    [false, ' /no_think', '<think>I look.</think>\n', '<think>\n\n</think>\n\n'],
  ])('think %s', (think, mark, thought, end) => {
    expect(render(qwen, { think })).toBe(
      `${system}<|im_start|>user\nWeather?${mark}<|im_end|>\n<|im_start|>assistant\n${thought}${call}${result}${end}`,
    );
  });

  test('is recognized', () => {
    expect(toolCallFamily(qwen).name).toBe('hermes');
    expect(thinkingTags(qwen)).toMatchObject({ open: ['<think>'] });
    expect(templateThinks(qwen)).toBe(true);
    expect([...new ModelTemplate(qwen).fieldNames]).toEqual(
      expect.arrayContaining(['tools', 'thinking', 'isthinkset']),
    );
  });
});

test('a template with headers', () => {
  expect(render(llama, { now: new Date(2026, 10, 21, 12).getTime() })).toBe(
    '<|start_header_id|>system<|end_header_id|>\n\nBe brief.\n\nToday is 2026-11-21.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWeather?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n{"name": "get_weather", "parameters": {"city":"Oslo"}}<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n4C<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
  );
  expect(render(llama, { messages: history.slice(0, 2) })).toContain(`\n\n${TOOL}\nWeather?<|eot_id|>`);
  expect(toolCallFamily(llama).name).toBe('llama');
});

test('a template with brackets', () => {
  expect(render(mistral)).toBe(
    `[AVAILABLE_TOOLS] [${TOOL}][/AVAILABLE_TOOLS][INST] Weather?[/INST][TOOL_CALLS] [{"name": "get_weather", "arguments": {"city":"Oslo"}}]</s>[TOOL_RESULTS] {"content": 4C}[/TOOL_RESULTS]`,
  );
  expect(render(mistral, { messages: history.slice(0, 2), tools: [] })).toBe(
    '[INST] Be brief.\n\nWeather?[/INST]',
  );
  expect(toolCallFamily(mistral).name).toBe('mistral');
});

test.each([
  ['high', 'Reasoning: high\n'],
  [true, 'Reasoning: medium\n'],
] as const)('a template with types and levels, think %s', (think, first) => {
  expect(render(typed, { think })).toBe(`${first}get_weather(city: string)\n["Weather?"]`);
});

test('thinking and calls are separated, wherever the stream is cut', () => {
  const form = outputForm({ template: qwen, tools: [weather], think: true });
  const answer =
    '<think>\nMaybe <tool_call>?\n</think>\n\nI look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
  for (let at = 1; at < answer.length; at++) {
    const parser = form.parser('<|im_start|>assistant\n');
    const pieces = [...parser.push(answer.slice(0, at)), ...parser.push(answer.slice(at)), ...parser.end()];
    const text = pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
    const thinking = pieces.map((piece) => ('thinking' in piece ? piece.thinking : '')).join('');
    expect([at, text, thinking]).toEqual([at, 'I look.', 'Maybe <tool_call>?\n']);
    expect(pieces.at(-1)).toEqual({ calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] });
  }
});
