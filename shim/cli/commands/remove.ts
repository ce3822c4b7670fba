import { ApiFailure } from '../client/api-client.ts';
import type { Command } from './command.ts';

/** `tabd rm MODEL...`: unloads the models first. */
export const remove: Command = async ({ args, io, client }) => {
  for (const model of args.operands) {
    // A loaded model occupies memory and files until it is unloaded. A model that cannot run answers with an
    // error.
    await client.post('/api/generate', { model, keep_alive: 0 }).catch((error) => {
      if (!(error instanceof ApiFailure)) throw error;
    });
    await client.delete('/api/delete', { model });
    io.out.write(`removed ${model}\n`);
  }
};

/** Runs `tabd cp SOURCE NAME`. */
export const copy: Command = async ({ args, io, client }) => {
  const [source, destination] = args.operands;
  await client.post('/api/copy', { source, destination });
  io.out.write(`copied ${source} to ${destination}\n`);
};

/** Runs `tabd stop MODEL`. */
export const stop: Command = async ({ args, client }) => {
  const [model] = args.operands;
  try {
    await client.post('/api/generate', { model, keep_alive: 0 });
  } catch (error) {
    // Embedding models refuse generation. An embed request without texts unloads them.
    if (!(error instanceof ApiFailure && error.status === 400)) throw error;
    await client.post('/api/embed', { model, input: [], keep_alive: 0 });
  }
};
