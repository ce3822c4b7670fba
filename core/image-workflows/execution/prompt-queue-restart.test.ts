import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageFull } from '#core/host';
import { deaf, hold, QueueFixture, quick } from '#test/support/image-workflows/queue-fixture.ts';

let queues: QueueFixture;
beforeEach(async () => {
  queues = new QueueFixture();
  await queues.open();
});

describe('attempts', () => {
  it('are counted in the record while a prompt runs, also for one that overtook others', async () => {
    await queues.add('a', hold);
    await queues.add('b', hold, { number: 2 });
    await queues.letRun();
    expect(await queues.stored()).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
    const write = queues.host.records.write.bind(queues.host.records);
    // A prompt arrives in front of `b` while the end of `a` is written, which counts the attempt of `b`.
    vi.spyOn(queues.host.records, 'write').mockImplementationOnce(async (changes) => {
      await write(changes);
      await queues.add('front', hold, { number: 1 });
    });
    await queues.release('a');
    await queues.letRun();
    expect(queues.started).toEqual(['a', 'front']);
    expect(await queues.stored()).toEqual([
      ['b', 1],
      ['front', 1],
    ]);
    await queues.release('front');
    expect(queues.started).toEqual(['a', 'front', 'b']);
    expect(await queues.stored()).toEqual([['b', 1]]);
  });
});

it('history that had no room is stored later', async () => {
  await queues.add('a', hold);
  await queues.letRun();
  vi.spyOn(queues.host.records, 'write').mockRejectedValueOnce(new StorageFull('no space left'));
  await queues.release('a');
  expect([queues.queue.running, await queues.stored()]).toEqual([[], [['a', 1]]]);
  await queues.host.time!.advance(10_000);
  expect(await queues.stored()).toEqual([]);
});

describe('close', () => {
  it('interrupts the running prompt and keeps it with its attempt uncounted', async () => {
    await queues.add('a', hold);
    await queues.add('b', quick, { number: 1 });
    await queues.letRun();
    await queues.queue.close();
    expect(queues.reasons.map(({ message }) => message)).toEqual(['the server is stopping']);
    expect(await queues.stored()).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
    expect([queues.started, queues.queue.history.get('a'), queues.queue.running]).toEqual([
      ['a'],
      undefined,
      [],
    ]);
    expect(queues.host.time!.pending).toBe(0);
  });

  it('resolves at once when nothing runs, and lets nothing begin', async () => {
    await queues.queue.close();
    await queues.add('a', quick);
    await queues.letRun();
    expect([queues.started, queues.queue.pending.map(({ id }) => id)]).toEqual([[], ['a']]);
  });

  it('takes back the attempt of a prompt that was next', async () => {
    await queues.add('a', hold);
    await queues.add('b', hold, { number: 2 });
    await queues.letRun();
    const write = queues.host.records.write.bind(queues.host.records);
    let closing: Promise<void> | undefined;
    vi.spyOn(queues.host.records, 'write').mockImplementationOnce(async (changes) => {
      await write(changes);
      closing = queues.queue.close();
    });
    await queues.release('a');
    await closing;
    expect(queues.started).toEqual(['a']);
    expect(await queues.stored()).toEqual([['b', 0]]);
  });

  it('keeps a prompt whose node ends later without heeding its signal', async () => {
    await queues.add('a', deaf);
    await queues.add('b', quick, { number: 1 });
    await queues.letRun();
    const write = vi.spyOn(queues.host.records, 'write');
    const closing = queues.queue.close();
    await queues.release('a');
    await closing;
    expect([queues.started, write.mock.calls.length]).toEqual([['a'], 0]);
    expect(await queues.stored()).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
  });

  it('moves a prompt that just succeeded to history, and counts no further attempt', async () => {
    await queues.add('a', hold);
    await queues.add('b', quick, { number: 1 });
    await queues.letRun();
    let closing: Promise<void> | undefined;
    const { send } = queues.client.socket;
    queues.client.socket.send = (message) => {
      if (String(message).includes('execution_success')) closing = queues.queue.close();
      send(message);
    };
    await queues.release('a');
    await closing;
    expect([queues.started, queues.statusOf('a').completed]).toEqual([['a'], true]);
    expect(await queues.stored()).toEqual([['b', 0]]);
  });

  it('waits three seconds for a node that ignores its signal', async () => {
    await queues.add('a', deaf);
    await queues.letRun();
    let isClosed = false;
    const closing = queues.queue.close().then(() => {
      isClosed = true;
    });
    await queues.host.time!.advance(2999);
    expect(isClosed).toBe(false);
    await queues.host.time!.advance(1);
    await closing;
    expect(await queues.stored()).toEqual([['a', 1]]);
    await queues.release('a');
    expect(await queues.stored()).toEqual([['a', 0]]);
  });
});

describe('a queue that is opened again', () => {
  it('runs the prompts that were left, at once and in their order', async () => {
    await queues.add('a', hold, { number: 5 });
    await queues.add('b', quick, { number: 7.5 });
    await queues.add('c', quick, { number: -9 });
    await queues.letRun();
    await queues.queue.close();
    queues.started.length = 0;
    await queues.open();
    expect([queues.queue.remaining, queues.statuses()]).toEqual([3, [3, 3]]);
    await queues.settle();
    expect(queues.started).toEqual(['c', 'a']);
    await queues.release('a');
    expect(queues.started).toEqual(['c', 'a', 'b']);
    expect(queues.queue.history.list().map(([id]) => id)).toEqual(['c', 'a', 'b']);
  });

  it('continues numbers and sequences', async () => {
    await queues.add('a', hold, { number: 5 });
    await queues.add('b', quick, { number: -9.5 });
    await queues.letRun();
    await queues.queue.close();
    await queues.open();
    expect(queues.queue.takeNumber()).toBe(10);
    expect((await queues.add('c', quick)).sequence).toBe(3);
  });

  it('counts each attempt, and gives up after two servers that ended', async () => {
    await queues.add('a', hold);
    await queues.add('b', quick, { number: 1 });
    await queues.letRun();
    expect(await queues.stored()).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
    await queues.open();
    await queues.letRun();
    expect(await queues.stored()).toEqual([
      ['a', 2],
      ['b', 0],
    ]);
    await queues.open();
    await queues.letRun();
    expect(queues.started).toEqual(['a', 'a', 'b']);
    expect(await queues.stored()).toEqual([]);
    expect(queues.queue.history.get('a')!.job).toMatchObject({ status: 'failed', priority: 0 });
    expect(queues.statusOf('a').messages).toEqual([
      ['execution_start', { prompt_id: 'a', timestamp: expect.any(Number) }],
      [
        'execution_error',
        {
          prompt_id: 'a',
          node_id: null,
          node_type: null,
          executed: [],
          exception_message:
            'the server ended twice while this prompt ran; submit it again, with smaller images or models\n',
          exception_type: 'RuntimeError',
          traceback: [],
          current_inputs: {},
          current_outputs: [],
          timestamp: expect.any(Number),
        },
      ],
    ]);
    // The client learns of `b` alone.
    expect(queues.client.types().filter((type) => type.startsWith('execution_'))).toEqual([
      ...['execution_start', 'execution_cached', 'execution_success'],
    ]);
  });

  it.each([
    [
      'a node type is gone',
      { graphJson: '{"1": {"class_type": "Hold"}, "2": {"class_type": "Gone"}}' },
      'a node of this prompt does not exist',
    ],
    ['an output is not in the graph', { outputs: ['1', '9'] }, 'the server ended twice'],
  ])('gives up when %s', async (_, more, message) => {
    await queues.add('a', hold);
    await queues.letRun();
    await queues.queue.close();
    const [record] = await queues.records.list();
    await queues.records.put(record!.key, { ...record!.doc, ...more });
    await queues.open();
    await queues.letRun();
    expect(queues.started).toEqual(['a']);
    expect(queues.statusOf('a').messages[1][1].exception_message).toContain(message);
    expect(queues.statuses()).toEqual([]);
  });

  it('reports records that cannot be read', async () => {
    vi.spyOn(queues.records, 'list').mockRejectedValue(new Error('locked'));
    await expect(queues.open()).rejects.toThrow('locked');
    expect(queues.host.logged).toContainEqual({
      level: 'error',
      message: 'image workflows cannot start',
      fields: { error: 'Error: locked' },
    });
  });
});
