import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { hold, QueueFixture, quick } from '#test/support/image-workflows/queue-fixture.ts';
import { ResultCache } from './result-cache.ts';

let queues: QueueFixture;
beforeEach(async () => {
  queues = new QueueFixture();
  await queues.open();
});

describe('add', () => {
  it('stores the prompt and runs it', async () => {
    const prompt = await queues.add('a', quick, { number: 3 });
    expect(prompt).toMatchObject({
      id: 'a',
      sequence: 1,
      attempts: 1,
      createdAt: Math.floor(queues.host.time!.now()),
    });
    expect(await queues.stored()).toEqual([['a', 1]]);
    expect([queues.queue.remaining, queues.queue.running, queues.queue.pending]).toEqual([1, [prompt], []]);
    await queues.letRun();
    expect(queues.started).toEqual(['a']);
    expect([queues.queue.remaining, queues.queue.running]).toEqual([0, []]);
    expect(await queues.stored()).toEqual([]);
    expect(queues.statuses()).toEqual([1, 1, 0]);
  });

  it('writes the record of a prompt that runs at once only once', async () => {
    const put = vi.spyOn(queues.records, 'put');
    await queues.add('a', quick);
    await queues.letRun();
    expect(put).toHaveBeenCalledTimes(1);
    await queues.add('b', quick);
    await queues.letRun();
    expect([put.mock.calls.length, queues.started]).toEqual([2, ['a', 'b']]);
  });

  it('refuses prompts when too many wait, or when theirs are too large, and takes them again later', async () => {
    await queues.add('a', hold);
    await queues.letRun();
    queues.queue.limits = { prompts: 3, characters: 1000 };
    await queues.add('b', quick);
    await queues.add('c', quick);
    await expect(queues.add('d', quick)).rejects.toMatchObject({ status: 503 });
    expect((await queues.stored()).map(([id]) => id)).toEqual(['a', 'b', 'c']);
    await queues.queue.remove(({ id }) => id === 'b');
    await queues.add('d', quick);
    await queues.queue.remove(() => true);
    const large = { ...quick, '2': { class_type: 'Quick', inputs: { text: 'x'.repeat(990) } } };
    await expect(queues.add('e', large)).rejects.toMatchObject({ status: 503 });
    await queues.add('f', quick);
    await queues.release('a');
    await queues.letRun();
    expect(queues.started).toEqual(['a', 'f']);
  });

  it('waits 4 ms for listeners before the first event', async () => {
    await queues.add('a', quick);
    await queues.host.time!.advance(3.9);
    expect(queues.client.types()).not.toContain('execution_start');
    await queues.host.time!.advance(0.1);
    await queues.letRun();
    expect(queues.client.types()).toContain('execution_success');
  });

  it('keeps a prompt that waited no longer', async () => {
    await queues.add('a', hold);
    await queues.letRun();
    await queues.add('b', quick);
    await queues.host.time!.advance(5);
    await queues.release('a');
    expect(queues.started).toEqual(['a', 'b']);
  });

  it('waits no longer than 4 ms when the clock was set back', async () => {
    await queues.add('a', hold);
    await queues.letRun();
    await queues.add('b', quick);
    const now = queues.host.time!.now();
    const clock = vi.spyOn(queues.host.time!, 'now').mockReturnValue(now - 3_600_000);
    await queues.release('a');
    expect(queues.started).toEqual(['a']);
    clock.mockRestore();
    await queues.letRun();
    expect(queues.started).toEqual(['a', 'b']);
  });

  it('sends the last message when the prompt is in history', async () => {
    let wasInHistory: boolean | undefined;
    const { send } = queues.client.socket;
    queues.client.socket.send = (message) => {
      if (String(message).includes('"node": null'))
        wasInHistory = queues.queue.history.get('a') !== undefined;
      send(message);
    };
    await queues.add('a', quick);
    await queues.letRun();
    expect(wasInHistory).toBe(true);
    expect(queues.client.types().slice(-2)).toEqual(['status', 'executing']);
    expect(queues.client.messages.at(-1)!.data).toEqual({ node: null, prompt_id: 'a' });
  });

  it('counts one prompt alone as begun when two arrive at once', async () => {
    const [a, b] = await Promise.all([queues.add('a', hold), queues.add('b', hold)]);
    expect([a.attempts, b.attempts, a.sequence, b.sequence]).toEqual([1, 0, 1, 2]);
    expect(await queues.stored()).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
  });

  it('rejects when the prompt cannot be stored, and takes the next one', async () => {
    const put = vi.spyOn(queues.records, 'put').mockRejectedValueOnce(new Error('disk full'));
    await expect(queues.add('a', quick)).rejects.toThrow('disk full');
    expect([queues.queue.remaining, queues.statuses()]).toEqual([0, []]);
    put.mockClear();
    await queues.add('b', quick);
    await queues.letRun();
    expect(put).toHaveBeenCalledTimes(1);
    expect(queues.started).toEqual(['b']);
  });
});

describe('the order', () => {
  beforeEach(async () => {
    await queues.add('first', hold, { number: 0 });
    await queues.letRun();
  });

  it('goes by number, then by id, then by arrival', async () => {
    for (const [id, number] of [
      ['c', 2],
      ['b', 2],
      ['z', -1],
      ['b', 2],
      ['a', 3],
    ] as const)
      await queues.add(id, quick, { number });
    expect(queues.queue.pending.map(({ id, sequence }) => id + sequence)).toEqual([
      'z4',
      'b3',
      'b5',
      'c2',
      'a6',
    ]);
    expect(queues.queue.remaining).toBe(6);
    await queues.host.time!.advance(4);
    await queues.release('first');
    expect(queues.started).toEqual(['first', 'z', 'b', 'b', 'c', 'a']);
  });

  it('counts numbers from 0 on', () => {
    expect([queues.queue.takeNumber(), queues.queue.takeNumber(), queues.queue.takeNumber()]).toEqual([
      0, 1, 2,
    ]);
  });

  it('runs one prompt at a time', async () => {
    await queues.add('second', hold, { number: 1 });
    await queues.letRun();
    expect(queues.started).toEqual(['first']);
    await queues.release('first');
    expect([queues.started, queues.queue.running.map(({ id }) => id)]).toEqual([
      ['first', 'second'],
      ['second'],
    ]);
  });
});

describe('remove', () => {
  it('drops pending prompts with their records', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await queues.add(id, hold, { number: 1 });
    await queues.letRun();
    queues.client.messages.length = 0;
    expect(await queues.queue.remove(({ id }) => id === 'b' || id === 'd' || id === 'a')).toBe(2);
    expect([queues.queue.pending.map(({ id }) => id), queues.statuses()]).toEqual([['c'], [2]]);
    expect((await queues.stored()).map(([id]) => id)).toEqual(['a', 'c']);
  });

  it('does nothing when none matches', async () => {
    await queues.add('a', hold);
    queues.client.messages.length = 0;
    expect(await queues.queue.remove(() => true)).toBe(0);
    expect([queues.statuses(), queues.queue.running.length]).toEqual([[], 1]);
  });
});

describe('interrupt', () => {
  it('ends the running prompt, by its id or without one', async () => {
    expect(queues.queue.interrupt()).toBe(false);
    await queues.add('a', hold);
    await queues.add('b', hold, { number: 1 });
    await queues.letRun();
    expect(queues.queue.interrupt('b')).toBe(false);
    expect(queues.queue.interrupt('a')).toBe(true);
    await queues.letRun();
    expect(queues.reasons[0]).toMatchObject({ name: 'AbortError', message: 'The prompt was interrupted' });
    expect(queues.statusOf('a')).toMatchObject({ status_str: 'error', completed: false });
    expect(queues.statusOf('a').messages.at(-1)[0]).toBe('execution_interrupted');
    expect(queues.queue.interrupt()).toBe(true);
    await queues.letRun();
    expect(queues.statusOf('b').messages.at(-1)[0]).toBe('execution_interrupted');
    expect(await queues.stored()).toEqual([]);
  });

  it('ends a prompt that waits for its first event', async () => {
    await queues.add('a', quick);
    queues.queue.interrupt('a');
    await queues.settle();
    expect(queues.started).toEqual([]);
    expect(queues.statusOf('a').messages.map(([type]: [string]) => type)).toEqual([
      ...['execution_start', 'execution_cached', 'execution_interrupted'],
    ]);
  });
});

describe('free', () => {
  let clear: MockInstance;
  beforeEach(() => {
    clear = vi.spyOn(ResultCache.prototype, 'clear');
  });
  afterEach(() => clear.mockRestore());

  it('acts at once when no prompt runs', () => {
    queues.queue.free({});
    expect(clear).not.toHaveBeenCalled();
    queues.queue.free({ results: true });
    expect(clear).toHaveBeenCalledTimes(1);
  });

  it('acts once after the running prompt, before the next', async () => {
    await queues.add('a', hold);
    await queues.add('b', hold, { number: 1 });
    await queues.letRun();
    clear.mockImplementation(() => expect(queues.started).toEqual(['a']));
    queues.queue.free({ results: true });
    expect(clear).not.toHaveBeenCalled();
    await queues.release('a');
    expect(clear).toHaveBeenCalledTimes(1);
    await queues.release('b');
    expect([clear.mock.calls.length, queues.started]).toEqual([1, ['a', 'b']]);
  });
});

describe('history', () => {
  it('describes the prompt as a job', async () => {
    const createdAt = Math.floor(queues.host.time!.now());
    await queues.add('a', hold, { number: 2.5 });
    await queues.letRun();
    const startedAt = Math.floor(queues.host.time!.now());
    await queues.host.time!.advance(1000);
    await queues.release('a');
    expect(queues.queue.history.get('a')!.job).toEqual({
      status: 'completed',
      priority: 2.5,
      createdAt,
      startedAt,
      endedAt: startedAt + 1000,
    });
    expect(JSON.parse(queues.queue.history.get('a')!.entryJson)).toMatchObject({
      outputs: { '1': { text: ['a'] } },
      status: { status_str: 'success' },
    });
  });

  it('describes an interrupted prompt as failed', async () => {
    await queues.add('a', hold);
    await queues.letRun();
    queues.queue.interrupt();
    await queues.letRun();
    expect(queues.queue.history.get('a')!.job.status).toBe('failed');
  });

  it('is written together with the end of the record and the next attempt', async () => {
    const write = vi.spyOn(queues.host.records, 'write');
    await queues.add('a', hold);
    await queues.add('b', quick, { number: 1 });
    await queues.add('c', quick, { number: 2 });
    const put = vi.spyOn(queues.records, 'put');
    await queues.letRun();
    await queues.release('a');
    expect(
      write.mock.calls.map(([changes]) =>
        changes.map(({ collection, key, doc }) => [collection, key, doc !== undefined]),
      ),
    ).toEqual([
      [
        ['promptHistory', 'a', true],
        ['promptQueue', '1', false],
        ['promptQueue', '2', true],
      ],
      [
        ['promptHistory', 'b', true],
        ['promptQueue', '2', false],
        ['promptQueue', '3', true],
      ],
      [
        ['promptHistory', 'c', true],
        ['promptQueue', '3', false],
      ],
    ]);
    expect(write.mock.calls[0]![0][2]!.doc).toMatchObject({ id: 'b', attempts: 1 });
    // The records in memory put the two changes one by one. The queue itself puts nothing.
    expect(put).toHaveBeenCalledTimes(2);
  });

  it('that cannot be written does not stop the queue', async () => {
    vi.spyOn(queues.host.records, 'write').mockRejectedValueOnce(new Error('disk full'));
    await queues.add('a', hold);
    await queues.add('b', quick, { number: 1 });
    await queues.letRun();
    await queues.release('a');
    expect(queues.started).toEqual(['a', 'b']);
    expect(
      queues.client.messages.filter(({ data }) => data.node === null).map(({ data }) => data.prompt_id),
    ).toEqual(['a', 'b']);
    expect(queues.host.logged).toContainEqual({
      level: 'error',
      message: 'a prompt could not be stored',
      fields: { prompt: 'a', error: 'Error: disk full' },
    });
  });
});
