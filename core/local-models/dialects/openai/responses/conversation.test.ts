import { describe, expect, it } from 'vitest';
import { ConversationBuilder } from './conversation.ts';

const content = (text: string, images: Uint8Array[] = []) => ({ content: text, images });

describe('ConversationBuilder', () => {
  it('adds reasoning to the next message of the assistant, not to one of the user', () => {
    const conversation = new ConversationBuilder();
    conversation.addReasoning('hm');
    conversation.addMessage('user', content('Q'));
    conversation.addMessage('assistant', content('A'));
    conversation.addMessage('assistant', content('B'));
    expect(conversation.finish()).toEqual([
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: 'A', thinking: 'hm' },
      { role: 'assistant', content: 'B' },
    ]);
  });

  it('joins calls to the message of the assistant before them', () => {
    const conversation = new ConversationBuilder();
    conversation.addMessage('assistant', content('Let me see.'));
    conversation.addReasoning('hm');
    conversation.addCall('1', 'f', { a: 1 });
    conversation.addCall('2', 'g', {});
    expect(conversation.finish()).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        thinking: 'hm',
        toolCalls: [
          { id: '1', name: 'f', arguments: { a: 1 } },
          { id: '2', name: 'g', arguments: {} },
        ],
      },
    ]);
  });

  it('starts a message of the assistant for a call after another role', () => {
    const conversation = new ConversationBuilder();
    conversation.addMessage('user', content('Q'));
    conversation.addReasoning('hm');
    conversation.addCall('1', 'f', {});
    expect(conversation.finish().slice(1)).toEqual([
      { role: 'assistant', content: '', thinking: 'hm', toolCalls: [{ id: '1', name: 'f', arguments: {} }] },
    ]);
  });

  it('names the tool of a result by the last call with its id', () => {
    const conversation = new ConversationBuilder();
    conversation.addCall('1', 'f', {});
    conversation.addCall('1', 'g', {});
    conversation.addCall('', 'h', {});
    conversation.addResult('1', content('r', [Uint8Array.of(1)]));
    conversation.addResult('', content('s'));
    conversation.addResult('9', content('t'));
    expect(conversation.finish().slice(1)).toEqual([
      { role: 'tool', content: 'r', images: [Uint8Array.of(1)], toolCallId: '1', toolName: 'g' },
      { role: 'tool', content: 's', toolCallId: '' },
      { role: 'tool', content: 't', toolCallId: '9' },
    ]);
  });

  it('makes a message of reasoning at the end', () => {
    const conversation = new ConversationBuilder();
    conversation.addMessage('user', content('Q'));
    conversation.addReasoning('so');
    expect(conversation.finish()).toEqual([
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: '', thinking: 'so' },
    ]);
  });
});
