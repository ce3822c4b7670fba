/** The models that a start installs. */
import { defaultModel } from '#core/local-models';
import { UsageError } from '../../base/usage-error.ts';
import type { Arguments } from '../arguments.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { TagsAnswer } from '../client/api-types.ts';
import { pullWithProgress } from '../commands/pull.ts';
import type { Terminal } from '../progress.ts';

/** The models of `--with`. @throws UsageError */
export function requestedModels({ lists, viaTab }: Pick<Arguments, 'lists' | 'viaTab'>): string[] {
  const models = lists.with ?? [];
  if (models.some((model) => model.trim() === '')) throw new UsageError('--with needs the name of a model');
  if (viaTab && models.length > 0)
    throw new UsageError('--with installs models of this computer, but with --via-tab a tab has the models');
  return models;
}

interface Io {
  out: Terminal;
  stop: AbortSignal;
}

export interface FirstModels {
  /** Whether to install the default model if there is no model at all. */
  first: boolean;
  /** Models to install if they are missing. */
  requested: string[];
}

/** Installs models and shows the progress. The ports answer in the meantime, and also after a failure. */
export async function installFirstModels(
  client: ApiClient,
  { first, requested }: FirstModels,
  io: Io,
): Promise<void> {
  const isEmpty = first && (await client.get<TagsAnswer>('/api/tags')).models.length === 0;
  if (isEmpty) await install(client, defaultModel, `No model is installed yet: fetching ${defaultModel}`, io);
  for (const model of requested) {
    if (io.stop.aborted) return;
    if (!(await isInstalled(client, model))) await install(client, model, `Fetching ${model}`, io);
  }
}

async function isInstalled(client: ApiClient, model: string): Promise<boolean> {
  try {
    await client.post('/api/show', { model });
    return true;
  } catch {
    // The download reports everything else that is wrong, such as a name that is not valid.
    return false;
  }
}

async function install(
  client: ApiClient,
  model: string,
  announcement: string,
  { out, stop }: Io,
): Promise<void> {
  out.write(`\n${announcement}\n`);
  try {
    await pullWithProgress(client, model, out);
  } catch (error) {
    if (stop.aborted) return;
    out.write(
      `${model} could not be fetched: ${(error as Error).message}\n` +
        `Try again with 'tabd pull ${model}', or install a file: tabd import PATH.gguf\n`,
    );
  }
}
