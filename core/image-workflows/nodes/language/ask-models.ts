/** Requests to the language models of this server, through the API that clients use. */
import { isObject } from '#core/base';
import type { NodeContext } from '../kernel/node-context.ts';

type ModelAccess = Pick<NodeContext, 'languageModels' | 'signal'>;
export type ModelCapability = 'completion' | 'vision' | 'embedding';

const NO_MODEL: Record<ModelCapability, string> = {
  completion:
    "no language model is installed: install one under Models in the page, or with 'tabd pull smollm2:135m'",
  vision:
    'no vision model is installed: install one with a projector under Models in the page, or with tabd pull',
  embedding:
    "no embedding model is installed: install one under Models in the page, or with 'tabd pull all-minilm'",
};

interface ModelEntry {
  name: string;
  capabilities?: string[];
}

/**
 * The model called `name`. With an empty name a loaded model with the capability, else the first installed one. Rejects
 * when no installed model has the capability.
 */
export async function modelFor(
  name: string,
  capability: ModelCapability,
  context: ModelAccess,
): Promise<string> {
  if (name.trim() !== '') return name.trim();
  const list = async (path: string) =>
    (await askJson<{ models?: ModelEntry[] }>(path, undefined, context)).models ?? [];
  const fitting = (await list('/api/tags')).filter((model) => model.capabilities?.includes(capability));
  if (fitting.length === 0) throw new Error(NO_MODEL[capability]);
  const loaded = (await list('/api/ps')).find(({ name }) => fitting.some((model) => model.name === name));
  return (loaded ?? fitting[0]!).name;
}

/** Sends a request and returns the JSON response. Rejects with the server's error message. */
export async function askJson<T>(path: string, body: object | undefined, context: ModelAccess): Promise<T> {
  const response = await send(path, body, context);
  return parseResponse<T>(await response.text(), response);
}

/** Sends a request and yields the JSON lines of the response. Rejects with the server's error message, also mid-stream. */
export async function* askLines<T>(path: string, body: object, context: ModelAccess): AsyncGenerator<T> {
  const response = await send(path, body, context);
  if (!response.ok || !response.body) parseResponse(await response.text(), response);
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split('\n');
      rest = done ? '' : lines.pop()!;
      for (const line of lines) if (line.trim() !== '') yield parseResponse<T>(line, response);
      if (done) return;
    }
  } finally {
    // The model stops generating when the response is cancelled.
    await reader.cancel().catch(() => {});
  }
}

function send(
  path: string,
  body: object | undefined,
  { languageModels, signal }: ModelAccess,
): Promise<Response> {
  if (!languageModels) throw new Error('this server has no language models');
  return languageModels.fetch(path, {
    signal,
    ...(body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
}

/** Parses a JSON object. Throws when it has an `error`, when it is no object, or when the status is an error. */
function parseResponse<T>(text: string, response: Response): T {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = undefined;
  }
  const error = isObject(answer) ? answer.error : undefined;
  if (response.ok && isObject(answer) && error === undefined) return answer as T;
  throw new Error(
    typeof error === 'string' ? error : text.trim() || `the models answered ${response.status}`,
  );
}
