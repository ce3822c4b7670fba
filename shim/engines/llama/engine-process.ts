/**
 * The entry of an engine process, which runs one model. It talks to the shim over the process channel, never
 * writes to standard output, and ends when the shim ends.
 */

import { computeEmbeddings } from './process/embed.ts';
import { EventBatch } from './process/event-batch.ts';
import { toEngineError } from './process/failures.ts';
import { runGeneration } from './process/generate.ts';
import { knownAnswer } from './process/known-answer.ts';
import { listGpus } from './process/llama.ts';
import { type LoadedLlama, loadLlamaModel } from './process/load-model.ts';
import type { EngineCommand, Report } from './protocol.ts';

const report = (message: Report): void => {
  if (process.connected) process.send?.(message);
};

let model: LoadedLlama | undefined;
let embeddings: Promise<void> = Promise.resolve();
const running = new Map<number, EventBatch>();
/** Running embed commands by id; true when they were stopped. */
const embedding = new Map<number, boolean>();

process.on('message', (command: EngineCommand) => void handleCommand(command));
// A plain exit would wait for compute threads in native code.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl+C in the terminal signals the entire process group, but the shim decides when its engines end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

async function handleCommand(command: EngineCommand): Promise<void> {
  switch (command.type) {
    case 'load':
      try {
        model = await loadLlamaModel(command, reportLoading(), report);
        report({ type: 'loaded', loaded: model.loaded });
      } catch (error) {
        report({ type: 'load-failed', failure: await toEngineError(error) });
      }
      return;
    case 'generate': {
      const { id, request } = command;
      const batch = new EventBatch(command.credit, (events) => report({ type: 'events', id, events }));
      running.set(id, batch);
      try {
        await runGeneration(requireModel(model), request, batch);
      } catch (error) {
        batch.flush();
        report({ type: 'failed', id, failure: await toEngineError(error) });
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
        .then(() =>
          computeEmbeddings(requireEmbedding(model), texts, options, () => embedding.get(id) === true),
        )
        .then(
          (value) => report({ type: 'result', id, value }),
          async (error) => report({ type: 'failed', id, failure: await toEngineError(error) }),
        )
        .finally(() => embedding.delete(id));
      return;
    }
    default:
      try {
        report({ type: 'result', id: command.id, value: await answer(command) });
      } catch (error) {
        report({ type: 'failed', id: command.id, failure: await toEngineError(error) });
      }
  }
}

/** llama.cpp reports progress for every tensor. One message for each percent is enough. */
function reportLoading(): (fraction: number) => void {
  let reported = 0;
  return (fraction) => {
    if (fraction < 1 && fraction - reported < 0.01) return;
    reported = fraction;
    report({ type: 'loading', fraction });
  };
}

async function answer(
  command: Extract<EngineCommand, { type: 'tokenize' | 'detokenize' | 'known-answer' | 'gpus' }>,
): Promise<unknown> {
  switch (command.type) {
    case 'tokenize':
      return requireModel(model).vocabulary.tokenize(command.text);
    case 'detokenize':
      return requireModel(model).vocabulary.detokenize(command.tokens);
    case 'known-answer':
      return knownAnswer(requireModel(model));
    case 'gpus':
      return listGpus();
  }
}

function requireEmbedding(value: LoadedLlama | undefined) {
  const { embedding: context, vocabulary } = requireModel(value);
  if (!context) throw new Error('this model was not loaded for embeddings');
  return { embedding: context, vocabulary };
}

function requireModel(value: LoadedLlama | undefined): LoadedLlama {
  if (!value) throw new Error('no model is loaded in this process');
  return value;
}
