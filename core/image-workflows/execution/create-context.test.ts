import { describe, expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { graphOf, listenToMessages, runServices } from '#test/support/image-workflows/prompt-fixtures.ts';
import { SocketHub } from '../sockets/socket-hub.ts';
import { EventLoopYielder } from '../yielding/event-loop-yielder.ts';
import { createContext } from './create-context.ts';
import { PromptEvents } from './prompt-events.ts';

function contextWith(more: Parameters<typeof runServices>[1] = {}) {
  const hub = new SocketHub();
  const client = listenToMessages(hub, 'me');
  const controller = new AbortController();
  const services = runServices([], more);
  const graph = graphOf({
    '1': { class_type: 'A' },
    '2': { class_type: 'A', inputs: { in: ['1', 2], value: 1 } },
    '3': { class_type: 'A', inputs: { in: ['2', 0] } },
  });
  const context = createContext({
    nodeId: '1',
    promptId: 'p',
    graph,
    texts: { promptJson: '{"1": {}}', extra: { workflow: '{}' } },
    services,
    events: new PromptEvents('p', 'me', hub, new TestClock()),
    yielder: new EventLoopYielder(),
    signal: controller.signal,
  });
  return { context, controller, client, services };
}

describe('createContext', () => {
  it('passes on ids, signal, host, files and language models', () => {
    const languageModels = { fetch: async () => new Response() };
    const { context, controller, services } = contextWith({ languageModels, wantsPreviews: true });
    expect(context).toMatchObject({ nodeId: '1', promptId: 'p', wantsPreviews: true });
    expect(context.signal).toBe(controller.signal);
    expect([context.host, context.files, context.languageModels]).toEqual([
      services.host,
      services.files,
      languageModels,
    ]);
    expect(contextWith().context).toMatchObject({ wantsPreviews: false, languageModels: undefined });
  });

  it('holds texts for files only when the server writes metadata', () => {
    expect(contextWith().context).toMatchObject({ promptJson: '{"1": {}}', extraTexts: { workflow: '{}' } });
    expect(contextWith({ writesMetadata: false }).context).toMatchObject({
      promptJson: undefined,
      extraTexts: {},
    });
  });

  it('knows which outputs other nodes take', () => {
    const { context } = contextWith();
    expect([0, 1, 2].map((output) => context.isTaken(output))).toEqual([false, false, true]);
  });

  it('reports progress under its node', async () => {
    const { context, client } = contextWith();
    await context.progress(1, 4);
    expect(client.messages.at(-1)).toEqual({
      type: 'progress',
      data: { value: 1, max: 4, prompt_id: 'p', node: '1' },
    });
  });

  it('rejects progress after an interrupt', async () => {
    const { context, controller } = contextWith();
    controller.abort(new Error('interrupted'));
    await expect(context.progress(1, 4)).rejects.toThrow('interrupted');
  });

  it('yields during long work, so that an interrupt is seen', async () => {
    const { context, controller } = contextWith();
    setTimeout(() => controller.abort(new Error('interrupted')), 0);
    const work = async () => {
      for (let step = 0; step < 1e9; step++) await context.progress(step, 1e9);
    };
    await expect(work()).rejects.toThrow('interrupted');
  });

  it('sends images and texts', () => {
    const { context, client } = contextWith();
    context.sendImage({ type: 'image/png', bytes: Uint8Array.of(9) });
    context.sendText('hi');
    expect(client.binary.map((bytes) => [...bytes.subarray(0, 8)])).toEqual([
      [0, 0, 0, 1, 0, 0, 0, 2],
      [0, 0, 0, 3, 0, 0, 0, 1],
    ]);
  });
});
