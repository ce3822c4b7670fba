import { describe, expect, test } from 'vitest';
import type { Message } from '#core/local-models/base/messages.ts';
import { jinjaMessages, type MessageFormat } from './jinja-messages.ts';

const full: MessageFormat = {
  argumentsAs: 'object',
  nullContent: false,
  callTag: '',
  toolResults: true,
  systemMessages: true,
  alternatingRoles: false,
};
const user: Message = { role: 'user', content: 'Q' };
const calls: Message = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'call_1', name: 'f', arguments: { a: 1 } }],
};
const result: Message = { role: 'tool', content: 'R', toolName: 'f', toolCallId: 'call_1' };

describe('messages for a template', () => {
  test('that supports everything', () => {
    expect(jinjaMessages([{ ...user, thinking: 'T' }, calls, result], full)).toEqual([
      { role: 'user', content: 'Q', thinking: 'T', reasoning_content: 'T' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: { a: 1 } } }],
      },
      { role: 'tool', content: 'R', name: 'f', tool_call_id: 'call_1' },
    ]);
  });

  test('that requires ids gets the same id in call and result, also for calls without one', () => {
    const ids = (messages: Message[]) => {
      const [call, answer] = jinjaMessages(messages, { ...full, idLength: 9 });
      return [(call!.tool_calls as { id: string }[])[0]!.id, answer!.tool_call_id];
    };
    const [callId, resultId] = ids([calls, result]);
    expect(callId).toMatch(/^[a-z0-9]{9}$/);
    expect(resultId).toBe(callId);
    const anonymous: Message = { ...calls, toolCalls: [{ name: 'f', arguments: {} }] };
    const [other, otherResult] = ids([anonymous, { role: 'tool', content: 'R' }]);
    expect(otherResult).toBe(other);
    expect(other).not.toBe(callId);
  });

  test('that knows no system messages, in a conversation without a message of the user', () => {
    const system: Message = { role: 'system', content: 'S' };
    expect(jinjaMessages([system, { ...calls, toolCalls: [] }], { ...full, systemMessages: false })).toEqual([
      { role: 'user', content: 'S' },
      { role: 'assistant', content: '' },
    ]);
  });

  test('that knows no tool results keeps its calls', () => {
    expect(jinjaMessages([calls, result], { ...full, toolResults: false, nullContent: true })).toEqual([
      { role: 'assistant', content: null, tool_calls: [expect.objectContaining({ id: 'call_1' })] },
      { role: 'user', content: 'f: R' },
    ]);
  });
});
