import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { listenToMessages } from '#test/support/image-workflows/prompt-fixtures.ts';
import { SocketHub } from '../sockets/socket-hub.ts';
import { PromptEvents } from './prompt-events.ts';

const preview = { type: 'image/jpeg', bytes: Uint8Array.of(7) } as const;
const clock = new TestClock(5000.75);
let hub: SocketHub;
let mine: ReturnType<typeof listenToMessages>;
let other: ReturnType<typeof listenToMessages>;
beforeEach(() => {
  hub = new SocketHub();
  [mine, other] = [listenToMessages(hub, 'me'), listenToMessages(hub, 'other')];
});
const eventsFor = (clientId: string | undefined) => new PromptEvents('p', clientId, hub, clock);

describe('the events of a prompt with a client', () => {
  it('of the prompt itself are recorded with a time in whole milliseconds', () => {
    const events = eventsFor('me');
    events.promptEvent('execution_start', { prompt_id: 'p' });
    events.promptEvent('execution_interrupted', { prompt_id: 'p' });
    const data = { prompt_id: 'p', timestamp: 5000 };
    expect(events.records).toEqual([
      ['execution_start', data],
      ['execution_interrupted', data],
    ]);
    expect(mine.messages).toEqual([
      { type: 'execution_start', data },
      { type: 'execution_interrupted', data },
    ]);
    expect(other.messages).toEqual([]);
  });

  it('of a node go from its start to its end', () => {
    // A progress without a preview sends no image, to no kind of client.
    const modern = listenToMessages(hub, 'me', { supports_preview_metadata: true });
    const events = eventsFor('me');
    events.nodeStarted('1');
    events.nodeProgress('1', 2, 4, undefined);
    events.nodeExecuted('1', { text: ['x'] });
    events.nodeFinished('1');
    events.nodeExecuted('2', undefined);
    expect(mine.types()).toEqual([
      ...['progress_state', 'executing', 'progress_state', 'progress'],
      ...['executed', 'progress_state', 'executed'],
    ]);
    const [started, executing, progressed, progress, executed, finished, empty] = mine.messages.map(
      ({ data }) => data,
    );
    expect(started.nodes['1']).toMatchObject({ value: 0, max: 1, state: 'running' });
    expect(executing).toEqual({ node: '1', display_node: '1', prompt_id: 'p' });
    expect(progressed.nodes['1']).toMatchObject({ value: 2, max: 4, state: 'running' });
    expect(progress).toEqual({ value: 2, max: 4, prompt_id: 'p', node: '1' });
    expect(executed).toEqual({ node: '1', display_node: '1', output: { text: ['x'] }, prompt_id: 'p' });
    expect(finished.nodes['1']).toMatchObject({ value: 4, max: 4, state: 'finished' });
    expect(empty.output).toBeNull();
    expect(other.messages).toEqual([]);
    expect(modern.binary).toEqual([]);
    expect(events.records).toEqual([]);
  });

  it('end with the message that no node runs', () => {
    const events = eventsFor('me');
    events.nodeStarted('1');
    events.promptEnded();
    expect(mine.messages.at(-1)).toEqual({ type: 'executing', data: { node: null, prompt_id: 'p' } });
  });

  it('let a client that connects meanwhile know the running node', () => {
    const connect = () => {
      const sent: string[] = [];
      const socket = { ...mine.socket, send: (data: string | Uint8Array) => void sent.push(data as string) };
      hub.session('me').start(socket);
      return sent.slice(1).map((message) => JSON.parse(message));
    };
    const events = eventsFor('me');
    expect(connect()).toEqual([]);
    events.nodeStarted('1');
    expect(connect()).toEqual([{ type: 'executing', data: { node: '1' } }]);
    events.promptEnded();
    expect(connect()).toEqual([]);
  });

  it('send texts and images to the client', () => {
    const modern = listenToMessages(hub, 'me', { supports_preview_metadata: true });
    const events = eventsFor('me');
    events.nodeText('1', 'hi');
    events.nodeImage('1', preview);
    expect(mine.binary.map((bytes) => [...bytes])).toEqual([
      [0, 0, 0, 3, 0, 0, 0, 1, 49, 104, 105],
      [0, 0, 0, 1, 0, 0, 0, 1, 7],
    ]);
    const metadata = JSON.parse(new TextDecoder().decode(modern.binary[1]!.subarray(8, -1)));
    expect(metadata).toEqual({
      node_id: '1',
      prompt_id: 'p',
      display_node_id: '1',
      parent_node_id: null,
      real_node_id: '1',
      image_type: 'image/jpeg',
    });
    expect(other.binary).toEqual([]);
  });

  it('send a preview before the progress with metadata, and after it without', () => {
    const order: string[] = [];
    const record = (name: string, features: Record<string, unknown>) => {
      const client = listenToMessages(hub, 'me', features);
      client.socket.send = (data) =>
        order.push(`${name} ${typeof data === 'string' ? JSON.parse(data).type : 'preview'}`);
    };
    record('plain', {});
    record('modern', { supports_preview_metadata: true });
    eventsFor('me').nodeProgress('1', 1, 2, preview);
    expect(order).toEqual([
      ...['plain progress_state', 'modern progress_state', 'modern preview'],
      ...['plain progress', 'modern progress', 'plain preview'],
    ]);
  });
});

describe('the events of a prompt without a client', () => {
  it('reach all clients when they are progress or an interrupt, otherwise nobody', () => {
    const events = eventsFor(undefined);
    events.promptEvent('execution_start', {});
    events.nodeStarted('1');
    events.nodeProgress('1', 1, 2, preview);
    events.nodeExecuted('1', {});
    events.nodeFinished('1');
    events.promptEvent('execution_interrupted', {});
    events.promptEnded();
    const expected = [
      'progress_state',
      'progress_state',
      'progress',
      'progress_state',
      'execution_interrupted',
    ];
    expect(mine.types()).toEqual(expected);
    expect(other.types()).toEqual(expected);
    expect(other.binary).toHaveLength(1);
    expect(events.records.map(([type]) => type)).toEqual(['execution_start', 'execution_interrupted']);
  });

  it('leave out reports that would come too early', () => {
    const events = eventsFor('me');
    for (let id = 0; id < 150; id++) events.nodeFinished(String(id));
    expect(mine.types()).toHaveLength(100);
    expect(mine.types()).not.toContain(undefined);
  });

  it('do not postpone the next report while nobody listens', () => {
    const events = eventsFor('nobody');
    for (let id = 0; id < 150; id++) events.nodeFinished(String(id));
    const late = listenToMessages(hub, 'nobody');
    events.nodeFinished('0');
    expect(late.types()).toEqual(['progress_state']);
  });
});
