import { defaultModel } from '../../../core/local-models/registry/catalogue.ts';
import { formatAge, formatBytes, formatTable } from './format.ts';
import type { ModelsAccess } from './models-access.ts';
import { type Progress, ProgressView, type Terminal } from './progress.ts';

/** Downloads a model, showing its licence and how far it is. */
export async function pullModel(
  models: Pick<ModelsAccess, 'client'>,
  name: string,
  out: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const pull = await models.client.pull({ model: name, stream: true });
  const stop = () => pull.abort();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await follow(pull, out);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export async function importModel(
  models: ModelsAccess,
  path: string,
  name: string | undefined,
  out: Terminal,
  signal: AbortSignal,
): Promise<void> {
  await follow(models.importFile(path, name, signal), out);
}

export async function listModels(models: Pick<ModelsAccess, 'client'>, out: Terminal): Promise<void> {
  const { models: installed } = await models.client.list();
  if (installed.length === 0) {
    out.write(`No models are installed. Fetch one with: tabd pull ${defaultModel}\n`);
    return;
  }
  const rows = installed.map((model) => [
    model.name,
    model.digest.slice(0, 12),
    formatBytes(model.size),
    formatAge(new Date(model.modified_at)),
  ]);
  out.write(formatTable([['NAME', 'ID', 'SIZE', 'MODIFIED'], ...rows]));
}

export async function removeModels(
  models: Pick<ModelsAccess, 'client'>,
  names: string[],
  out: Terminal,
): Promise<void> {
  for (const name of names) {
    await models.client.delete({ model: name });
    out.write(`removed ${name}\n`);
  }
}

async function follow(progress: AsyncIterable<Progress>, out: Terminal): Promise<void> {
  const view = new ProgressView(out);
  try {
    for await (const step of progress) view.show(step);
  } finally {
    view.end();
  }
}
