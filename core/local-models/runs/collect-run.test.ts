import { expect, test } from 'vitest';
import { DONE, textEvent } from '#test/support/local-models/fake-text-service.ts';
import { collectRun } from './collect-run.ts';
import type { RunEvent } from './events.ts';

async function* run(...events: RunEvent[]) {
  yield* events;
}
const logprob = (token: string) => ({ token, bytes: [], logprob: -1, top: [] });
const call = (name: string) => ({ id: name, name, arguments: {} });

test('joins texts, thinking, calls and probabilities in order', async () => {
  const events: RunEvent[] = [
    textEvent('', 'h'),
    { type: 'text', content: 'a', thinking: 'm', logprobs: [logprob('x'), logprob('y')] },
    { type: 'tool-calls', calls: [call('f'), call('g')] },
    { type: 'text', content: 'b', thinking: '', logprobs: [logprob('z')] },
    { type: 'tool-calls', calls: [call('h')], withEnd: true },
    DONE,
  ];
  expect(await collectRun(run(...events))).toEqual({
    content: 'ab',
    thinking: 'hm',
    toolCalls: [call('f'), call('g'), call('h')],
    logprobs: [logprob('x'), logprob('y'), logprob('z')],
    done: DONE,
  });
});

test('is empty for a run without output', async () => {
  expect(await collectRun(run(DONE))).toEqual({
    content: '',
    thinking: '',
    toolCalls: [],
    logprobs: [],
    done: DONE,
  });
});

test('rejects with the error of the run', async () => {
  async function* failing(): AsyncGenerator<RunEvent> {
    yield textEvent('a');
    throw new Error('crashed');
  }
  await expect(collectRun(failing())).rejects.toThrow('crashed');
});
