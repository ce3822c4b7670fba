/**
 * The entry of an engine process: one model, one conversation with the shim over the process channel. Standard output
 * is never written to; when the shim goes, however it goes, this process ends.
 */

import { embed } from './process/embed.ts';
import { EventBatch } from './process/event-batch.ts';
import { asFailure } from './process/failures.ts';
import { generate } from './process/generate.ts';
import { knownAnswer } from './process/known-answer.ts';
import { listGpus } from './process/llama.ts';
import { type LoadedModel, loadModel } from './process/load-model.ts';
import type { Command, Report } from './protocol.ts';

const report = (message: Report): void => {
  if (process.connected) process.send?.(message);
};

let model: LoadedModel | undefined;
let embeddings: Promise<void> = Promise.resolve();
const running = new Map<number, EventBatch>();
/** Texts that are being embedded, and whether that was stopped. */
const embedding = new Map<number, boolean>();

process.on('message', (command: Command) => void obey(command));
// Compute threads may be busy in native code: a plain exit would wait for them.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A Ctrl-C in the terminal reaches the whole group; the shim decides when its engines end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

async function obey(command: Command): Promise<void> {
  switch (command.type) {
    case 'load':
      try {
        model = await loadModel(command, reportLoading(), report);
        report({ type: 'loaded', loaded: model.loaded });
      } catch (error) {
        report({ type: 'load-failed', failure: await asFailure(error) });
      }
      return;
    case 'generate': {
      const { id, request } = command;
      const batch = new EventBatch(command.credit, (events) => report({ type: 'events', id, events }));
      running.set(id, batch);
      try {
        await generate(mustHave(model), request, batch);
      } catch (error) {
        batch.flush();
        report({ type: 'failed', id, failure: await asFailure(error) });
      } finally {
        running.delete(id);
      }
      return;
    }
    case 'credit':
      running.get(command.id)?.grant(command.events);
      return;
    case 'stop':
      running.get(command.id)?.stop();
      if (embedding.has(command.id)) embedding.set(command.id, true);
      return;
    case 'embed': {
      const { id, texts, options } = command;
      embedding.set(id, false);
      embeddings = embeddings
        .then(() => embed(forEmbedding(model), texts, options, () => embedding.get(id) === true))
        .then(
          (value) => report({ type: 'result', id, value }),
          async (error) => report({ type: 'failed', id, failure: await asFailure(error) }),
        )
        .finally(() => embedding.delete(id));
      return;
    }
    default:
      try {
        report({ type: 'result', id: command.id, value: await answer(command) });
      } catch (error) {
        report({ type: 'failed', id: command.id, failure: await asFailure(error) });
      }
  }
}

/** llama.cpp tells progress for every tensor; a message a percent is enough. */
function reportLoading(): (fraction: number) => void {
  let told = 0;
  return (fraction) => {
    if (fraction < 1 && fraction - told < 0.01) return;
    told = fraction;
    report({ type: 'loading', fraction });
  };
}

async function answer(
  command: Extract<Command, { type: 'tokenize' | 'detokenize' | 'known-answer' | 'gpus' }>,
): Promise<unknown> {
  switch (command.type) {
    case 'tokenize':
      return mustHave(model).vocabulary.tokenize(command.text);
    case 'detokenize':
      return mustHave(model).vocabulary.detokenize(command.tokens);
    case 'known-answer':
      return knownAnswer(mustHave(model));
    case 'gpus':
      return listGpus();
  }
}

function forEmbedding(value: LoadedModel | undefined) {
  const { embedding: context, vocabulary } = mustHave(value);
  if (!context) throw new Error('this model was not loaded for embeddings');
  return { embedding: context, vocabulary };
}

function mustHave(value: LoadedModel | undefined): LoadedModel {
  if (!value) throw new Error('no model is loaded in this process');
  return value;
}
