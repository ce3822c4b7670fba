import { expect, it } from 'vitest';
import type { ServerEvent } from './api-types.ts';
import { eventsIn } from './event-stream.ts';
import { followEvents } from './live-events.ts';

it('parses events that arrive in parts', async () => {
  const pieces = [': alive\n\ndata: {"a"', ':1}\n', '\ndata: {"a":2}\n\ndata: {"a":3}'];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of pieces) controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  const seen: unknown[] = [];
  for await (const event of eventsIn(body)) seen.push(event);
  expect(seen).toEqual([{ a: 1 }, { a: 2 }]);
});

it('reconnects after a failure until it is aborted', async () => {
  const left = new AbortController();
  const calls: string[] = [];
  let connections = 0;
  const client = {
    async *events(): AsyncGenerator<ServerEvent> {
      connections += 1;
      yield { type: 'hello', data: {} };
      if (connections === 1) throw new Error('gone');
      yield { type: 'workflowChanged', data: { workflowId: 'x' } };
      left.abort();
      yield { type: 'late', data: {} };
    },
  };
  await followEvents(
    client,
    {
      onOpen: () => calls.push('open'),
      onEvent: ({ type }) => calls.push(type),
      onLost: () => calls.push('lost'),
    },
    left.signal,
    async () => void calls.push('slept'),
  );
  expect(calls).toEqual(['open', 'lost', 'slept', 'open', 'workflowChanged']);
});
