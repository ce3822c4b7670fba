import { describe, expect, test } from 'vitest';
import { ThinkingParser, templateThinks, thinkingTags } from './thinking.ts';

const think = thinkingTags('<think>');
const granite = thinkingTags("write it after 'Here is my thought process:'");

function parse(tags: typeof think, text: string, prompt = '', size = text.length || 1) {
  const parser = new ThinkingParser(tags, prompt);
  const all = { thinking: '', content: '' };
  for (let at = 0; at < text.length; at += size) {
    const split = parser.push(text.slice(at, at + size));
    all.thinking += split.thinking;
    all.content += split.content;
  }
  const rest = parser.flush();
  return { thinking: all.thinking + rest.thinking, content: all.content + rest.content };
}

describe.each([1, 2, 3, 5, 100])('splits a stream of pieces of %i characters', (size) => {
  test.each([
    ['<think>a b</think>c', '', 'a b', 'c'],
    ['  <think>\n a\n</think>\n\n c', '', 'a\n', 'c'],
    ['no thinking at all', '', '', 'no thinking at all'],
    ['text <think>late</think>', '', '', 'text <think>late</think>'],
    ['a</think>b', '<|im_start|>assistant\n<think>\n', 'a', 'b'],
    ['<think>never closed', '', 'never closed', ''],
    ['<think>a </thi', '', 'a </thi', ''],
    ['<think>a </think', '', 'a </think', ''],
    ['<thi', '', '', '<thi'],
    ['<thin air', '', '', '<thin air'],
    ['<think></think>b', '', '', 'b'],
    ['<think>a<b</think>c</think>', '', 'a<b', 'c</think>'],
  ])('%j', (text, prompt, thinking, content) => {
    expect(parse(think, text, prompt, size)).toEqual({ thinking, content });
  });

  test.each([
    ["Here's my thought process: hm. Here is my response: 4.", ' hm. '.trimStart(), '4.'],
    ['Here is my thought process: hm.\n\nHere is my response:\n4.', 'hm.\n\n', '4.'],
    ['Here is the answer: 4.', '', 'Here is the answer: 4.'],
  ])('%j', (text, thinking, content) => {
    expect(parse(granite, text, '', size)).toEqual({ thinking, content });
  });
});

test('returns text as soon as it is certain', () => {
  const parser = new ThinkingParser(think, '<think>');
  expect(parser.push('Repeat')).toEqual({ thinking: 'Repeat', content: '' });
  expect(parser.push(' x <')).toEqual({ thinking: ' x ', content: '' });
  expect(parser.push('repeat>')).toEqual({ thinking: '<repeat>', content: '' });
  expect(parser.finished).toBe(false);
  parser.push('</think>');
  expect(parser.finished).toBe(true);
});

test.each([
  ['… [THINK]{{ .Thinking }}[/THINK]', '[THINK]'],
  ['<|START_THINKING|>', '<|START_THINKING|>'],
  ['<|channel>thought\n', '<|channel>thought\n'],
  ['<seed:think>', '<seed:think>'],
  ['{{ reasoning_content }}</think>', '<think>'],
  ['nothing', '<think>'],
])('finds the tags of the template %j', (template, open) => {
  expect(thinkingTags(template).open[0]).toBe(open);
});

test.each([
  ['{%- if enable_thinking is defined %}', true],
  ['<think>\n', true],
  ['{{ message.content }}', false],
  ['Reasoning: {{ reasoning_effort }}', true],
])('whether a model with the template %j thinks: %s', (template, thinks) => {
  expect(templateThinks(template)).toBe(thinks);
});
