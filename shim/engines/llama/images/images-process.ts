/**
 * The entry of a process that answers prompts with images, of one model. It talks to the shim as an engine process does.
 * One generation runs at a time.
 */
import type { GenerateRequest } from '#core/host';
import { EventBatch } from '../process/event-batch.ts';
import type { EngineCommand, Report } from '../protocol.ts';
import { completeWithImages } from './complete.ts';
import { toMessage } from './failures.ts';
import { type ImageModel, loadImageModel } from './load.ts';

const report = (message: Report): void => {
  if (process.connected) process.send?.(message);
};

let model: ImageModel | undefined;
let last: Promise<void> = Promise.resolve();
let current: number | undefined;
const batches = new Map<number, EventBatch>();

process.on('message', (command: EngineCommand) => void handleCommand(command));
// A plain exit would wait for compute threads in native code.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// The shim decides when its engines end, not a Ctrl+C in the terminal.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

async function handleCommand(command: EngineCommand): Promise<void> {
  switch (command.type) {
    case 'load':
      try {
        model = await loadImageModel(command, (fraction) => report({ type: 'loading', fraction }));
        report({ type: 'loaded', loaded: model.loaded });
      } catch (error) {
        report({ type: 'load-failed', failure: toMessage(error) });
      }
      return;
    case 'generate': {
      const { id, request, credit } = command;
      batches.set(id, new EventBatch(credit, (events) => report({ type: 'events', id, events })));
      last = last.then(() => generate(id, request));
      return;
    }
    case 'credit':
      // An answer ends with the context, so that the events ahead of a slow reader are few.
      return;
    case 'stop':
      batches.get(command.id)?.stop();
      if (current === command.id) model?.context.stopCompletion();
      return;
    default: {
      const failure = toMessage(new Error(`the process for images has no command ${command.type}`));
      report({ type: 'failed', id: command.id, failure });
    }
  }
}

async function generate(id: number, request: GenerateRequest): Promise<void> {
  const batch = batches.get(id)!;
  current = id;
  try {
    if (!model) throw new Error('no model is loaded in this process');
    if (!batch.stopped) await completeWithImages(model, request, batch);
  } catch (error) {
    batch.flush();
    report({ type: 'failed', id, failure: toMessage(error) });
  } finally {
    current = undefined;
    batches.delete(id);
  }
}
