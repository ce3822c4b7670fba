import { expect, test } from 'vitest';
import type { Message } from '#core/local-models/base/messages.ts';
import { JinjaTemplate } from '../../../prompting/templates/jinja/jinja-template.ts';
import { conversationTemplate } from './conversation-template.ts';

function render(description: object, messages: Message[]): string {
  const template = new JinjaTemplate(conversationTemplate(description)!);
  return template.render({ messages, tools: [], think: undefined, bosToken: '', eosToken: '' });
}

const roles = { user: 'USER', assistant: 'BOT' };
const question: Message = { role: 'user', content: 'Q' };
const answer: Message = { role: 'assistant', content: 'A' };
const system: Message = { role: 'system', content: 'S' };

test.each([
  undefined,
  null,
  'llama',
  [],
  {},
  { roles: null },
  { roles: { user: 'USER' } },
  { roles: { user: 1 } },
])('%j describes no conversation', (description) => {
  expect(conversationTemplate(description)).toBeUndefined();
});

test.each<[string, object, Message[], string]>([
  ['the usual separators', {}, [question], 'USER: QBOT: '],
  ['empty texts', { role_content_sep: '', role_empty_sep: '' }, [question], 'USERQBOT'],
  ['one separator', { seps: ['\n'] }, [question, answer, question], 'USER: Q\nBOT: A\nUSER: Q\nBOT: '],
  [
    'a separator for each role',
    { seps: ['<u>', '<a>'] },
    [question, answer, question],
    'USER: Q<u>BOT: A<a>USER: Q<u>BOT: ',
  ],
  ['no separators', { seps: [] }, [question, answer, question], 'USER: QBOT: AUSER: QBOT: '],
  ['separators that are no texts', { seps: [null, 7] }, [question], 'USER: QBOT: '],
  ['a system message', {}, [system, question], 'SUSER: QBOT: '],
  ['a default system message', { system_message: 'D' }, [question], 'DUSER: QBOT: '],
  ['a system message in place of the default', { system_message: 'D' }, [system, question], 'SUSER: QBOT: '],
  [
    'a template of the system message',
    { system_template: '<s>{system_message}</s>', system_message: 'D' },
    [question],
    '<s>D</s>USER: QBOT: ',
  ],
  ['the result of a tool', {}, [{ role: 'tool', content: 'R' }], 'USER: RBOT: '],
])('renders %s', (_, description, messages, expected) => {
  expect(render({ roles, ...description }, messages)).toBe(expected);
});

test.each(["it's", 'a\\', '\\n', "\\'", 'line\nline', '}} {% if %}', '{{ x }}', '"', 'ü<|im_end|>'])(
  'a text of a configuration stays a text: %j',
  (text) => {
    const description = { roles: { user: text, assistant: 'BOT' }, system_message: text, seps: [text] };
    expect(render(description, [question])).toBe(`${text}${text}: Q${text}BOT: `);
  },
);
