import { expect, test } from 'vitest';
import { detectTemplate } from './detect-template.ts';

const loop = (body: string, open: string) =>
  `{% for message in messages %}${body}{% endfor %}{% if add_generation_prompt %}{{ ${open} }}{% endif %}`;
const chatml = loop(
  "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}",
  "'<|im_start|>assistant\\n'",
);
const defaultSystem = (text: string) =>
  `{% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\n${text}<|im_end|>\\n' }}{% endif %}`;

test.each([
  ['chatml', chatml],
  ['chatml', defaultSystem('You are a helpful AI assistant named SmolLM') + chatml],
  [
    'llama3-instruct',
    `{{ bos_token }}${loop(
      "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}",
      "'<|start_header_id|>assistant<|end_header_id|>\\n\\n'",
    )}`,
  ],
  [
    'gemma-instruct',
    `{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}${loop(
      "{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}",
      "'<start_of_turn>model\\n'",
    )}`,
  ],
  [
    'phi-3',
    loop("{{ '<|' + message['role'] + '|>\\n' + message['content'] + '<|end|>\\n' }}", "'<|assistant|>\\n'"),
  ],
  [
    'zephyr',
    loop(
      "{{ '<|' + message['role'] + '|>\\n' + message['content'] + eos_token + '\\n' }}",
      "'<|assistant|>\\n'",
    ),
  ],
])('recognizes %s', (name, template) => {
  expect(detectTemplate(template)?.name).toBe(name);
});

test('returns the TEMPLATE with its stop strings', () => {
  expect(detectTemplate(chatml)).toEqual({
    name: 'chatml',
    template:
      '{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n',
    parameters: { stop: ['<|im_start|>', '<|im_end|>'] },
  });
});

test.each([
  ['tools', `{% if tools %}{{ tools | tojson }}{% endif %}${chatml}`],
  ['a long default prompt', defaultSystem('x'.repeat(150)) + chatml],
  ['other tokens', chatml.replaceAll('im_start', 'turn')],
  ['a broken template', '{% for %}'],
  ['an empty template', ''],
])('recognizes nothing for a model with %s', (_, template) => {
  expect(detectTemplate(template)).toBeUndefined();
});
