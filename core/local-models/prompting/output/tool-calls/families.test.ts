import { expect, test } from 'vitest';
import { TEMPLATES } from '#test/support/local-models/tool-call-answers.ts';
import { toolCallFamily } from './families.ts';

test.each(Object.entries(TEMPLATES))('%s is recognized by its template', (family, template) => {
  expect(toolCallFamily(template).name).toBe(family);
});

test.each([
  ['qwen3-coder', 'hermes'],
  ['ministral', 'mistral'],
  ['functiongemma', 'gemma'],
  ['deepseek3', 'deepseek'],
  ['cogito', 'deepseek'],
  ['olmo3-think', 'olmo'],
  ['lfm2-thinking', 'llama'],
  ['nemotron-3-nano', 'hermes'],
  ['glm-4.7', 'hermes'],
])('the PARSER %s means the family %s', (name, family) => {
  expect(toolCallFamily('{{ .Prompt }}', name).name).toBe(family);
});

test('LFM2, whose template only lists tools, belongs to the family of Llama', () => {
  expect(toolCallFamily('List of tools: <|tool_list_start|>').name).toBe('llama');
});
