import { describe, expect, it } from 'vitest';
import { DONE, textEvent } from '#test/support/local-models/fake-text-service.ts';
import type { DialectEvent } from '../respond.ts';
import { ChatPrinter } from './chat-printer.ts';

const call = (name: string) => ({ id: `call_${name}`, name, arguments: { a: 1 } });
const calls = (...names: string[]): DialectEvent => ({ type: 'tool-calls', calls: names.map(call) });
const choices = (chunk: object) =>
  (chunk as { choices: { delta: object; finish_reason: unknown }[] }).choices;
const print = (events: DialectEvent[], includeUsage = false) => {
  const printer = new ChatPrinter('m', 1_700_000_000_999);
  return events.flatMap((event) => printer.chunks(event, includeUsage));
};

describe('ChatPrinter', () => {
  it('gives all objects the same id, and the time in whole seconds', () => {
    const printer = new ChatPrinter('m', 1_700_000_000_999);
    const chunks = [
      ...printer.chunks(textEvent('a'), false),
      ...printer.chunks(DONE, true),
      printer.rendered('p'),
    ];
    expect(new Set(chunks.map((chunk) => (chunk as { id: string }).id)).size).toBe(1);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-\d{1,3}$/),
        created: 1_700_000_000,
      });
    }
  });

  it('has the role only in the first delta, whatever that is', () => {
    for (const first of [textEvent('a'), calls('f')] satisfies DialectEvent[]) {
      const deltas = print([first, textEvent('b'), DONE]).map((chunk) => choices(chunk)[0]!.delta);
      expect(deltas.map((delta) => 'role' in delta && delta.role)).toEqual(['assistant', undefined, false]);
    }
  });

  it('numbers calls over all events of an answer', () => {
    const deltas = print([calls('f', 'g'), calls('h'), DONE]).map((chunk) => choices(chunk)[0]!);
    const indices = deltas.map(({ delta }) =>
      (delta as { tool_calls?: { index: number }[] }).tool_calls?.map(({ index }) => index),
    );
    expect(indices).toEqual([[0, 1], [2], undefined]);
    expect(deltas.at(-1)!.finish_reason).toBe('tool_calls');
  });

  it('ends with the reason of the run when there were no calls', () => {
    const end: DialectEvent = { ...DONE, type: 'done', reason: 'length' } as DialectEvent;
    expect(choices(print([textEvent('a'), end]).at(-1)!)[0]!.finish_reason).toBe('length');
  });

  it('prints one chunk with the role for a request that only loads the model', () => {
    const load = { ...DONE, reason: 'load' } as DialectEvent;
    expect(choices(print([load])[0]!)).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'load', logprobs: undefined },
    ]);
  });

  it('adds a last chunk with the usage on request', () => {
    const [end, usage, ...more] = print([DONE], true);
    expect(end).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: undefined });
    expect(usage).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 16, completion_tokens: 8, total_tokens: 24 },
    });
    expect(more).toEqual([]);
  });
});
