import type { FetchFunction } from './server/direct-fetch.ts';
import { ModelError, type ModelProgress, type ModelStanding } from './types.ts';

export interface InstallModelsOptions {
  fetch: FetchFunction;
  /** The path that precedes `/api`. */
  prefix: string;
  models: readonly string[];
  onProgress(progress: ModelProgress): void;
  onStanding(model: string, standing: ModelStanding): void;
}

interface PullLine {
  status?: string;
  digest?: string;
  total?: number;
  completed?: number;
  error?: string;
}

/**
 * Pulls the models that are not installed, one after the other. A failure does not keep the others from being pulled.
 * Rejects with the first `ModelError`, or with the reason of `signal`.
 */
export async function installModels(options: InstallModelsOptions, signal: AbortSignal): Promise<void> {
  let failure: ModelError | undefined;
  for (const model of options.models) {
    try {
      await installModel(model, options, signal);
      options.onStanding(model, { phase: 'ready' });
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      const error = cause instanceof ModelError ? cause : new ModelError('failed', model, String(cause));
      options.onStanding(model, { phase: error.code, reason: error.message });
      failure ??= error;
    }
  }
  if (failure) throw failure;
}

async function installModel(
  model: string,
  options: InstallModelsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { fetch, prefix, onProgress, onStanding } = options;
  const post = (path: string, body: object) =>
    fetch(`${prefix}/api/${path}`, { method: 'POST', body: JSON.stringify(body), signal });
  onStanding(model, { phase: 'checking' });
  const shown = await post('show', { model });
  await shown.body?.cancel();
  if (shown.ok) return;
  onStanding(model, { phase: 'downloading' });
  const pull = await post('pull', { model });
  // Progress by digest: a model can have several files.
  const files = new Map<string, { total: number; completed: number }>();
  let ended = false;
  for await (const line of parseLines(pull)) {
    if (line.error !== undefined) {
      throw new ModelError(/ was declined$/.test(line.error) ? 'declined' : 'failed', model, line.error);
    }
    if (line.digest !== undefined && line.total !== undefined) {
      files.set(line.digest, { total: line.total, completed: line.completed ?? 0 });
    }
    ended = line.status === 'success';
    const sum = (of: 'total' | 'completed') => [...files.values()].reduce((all, file) => all + file[of], 0);
    onProgress({ model, status: line.status ?? '', completed: sum('completed'), total: sum('total') });
  }
  if (!ended) throw new ModelError('failed', model, `the download of ${model} broke off`);
}

async function* parseLines(response: Response): AsyncGenerator<PullLine> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + (value ?? '')).split('\n');
      rest = done ? '' : parts.pop()!;
      for (const part of parts) if (part) yield JSON.parse(part) as PullLine;
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
