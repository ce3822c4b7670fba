import { type ApiClient, ApiFailure } from '../../client/api-client.ts';
import type { ShowAnswer } from '../../client/api-types.ts';
import type { Terminal } from '../../progress.ts';
import { pullWithProgress } from '../pull.ts';

/** Describes the model. A model that is not installed is pulled first, with its progress on `err`. */
export async function showOrPull(
  client: ApiClient,
  model: string,
  err: Terminal,
  options: { insecure?: boolean } = {},
): Promise<ShowAnswer> {
  const show = () => client.post<ShowAnswer>('/api/show', { model });
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof ApiFailure && error.status === 404)) throw error;
  }
  await pullWithProgress(client, model, err, options);
  return show();
}

export const canSee = (model: ShowAnswer) => model.capabilities?.includes('vision') ?? false;
export const isEmbedder = (model: ShowAnswer) => model.capabilities?.includes('embedding') ?? false;
