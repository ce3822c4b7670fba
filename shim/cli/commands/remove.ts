import { ApiFailure } from '../client/api-client.ts';
import type { Command } from './command.ts';
import { writeResult } from './write-json.ts';

/** `tabd rm MODEL...`: unloads the models first. */
export const remove: Command = async (call) => {
  const { args, io, client } = call;
  for (const model of args.operands) {
    // A loaded model occupies memory and files until it is unloaded. A model that cannot run answers with an
    // error.
    await client.post('/api/generate', { model, keep_alive: 0 }).catch((error) => {
      if (!(error instanceof ApiFailure)) throw error;
    });
    await client.delete('/api/delete', { model });
    if (!args.options.json) io.out.write(`removed ${model}\n`);
  }
  writeResult(call, '', { removed: args.operands });
};

/** Runs `tabd cp SOURCE NAME`. */
export const copy: Command = async (call) => {
  const { args, client } = call;
  const [source, destination] = args.operands;
  await client.post('/api/copy', { source, destination });
  writeResult(call, `copied ${source} to ${destination}\n`, { copied: source, to: destination });
};

/** Runs `tabd stop MODEL`. */
export const stop: Command = async (call) => {
  const { args, client } = call;
  const [model] = args.operands;
  try {
    await client.post('/api/generate', { model, keep_alive: 0 });
  } catch (error) {
    // Embedding models refuse generation. An embed request without texts unloads them.
    if (!(error instanceof ApiFailure && error.status === 400)) throw error;
    await client.post('/api/embed', { model, input: [], keep_alive: 0 });
  }
  writeResult(call, '', { stopped: model });
};
