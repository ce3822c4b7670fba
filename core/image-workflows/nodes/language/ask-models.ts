/** Asking the language models of this server, as any client asks them. */
import type { NodeContext } from '../kernel/node-context.ts';

type Asking = Pick<NodeContext, 'languageModels' | 'signal'>;
export type Capability = 'completion' | 'vision' | 'embedding';

const LACKING: Record<Capability, string> = {
  completion:
    "no language model is installed: install one under Models in the page, or with 'tabd pull smollm2:135m'",
  vision:
    'no model that sees is installed: install one with a projector under Models in the page, or with tabd pull',
  embedding:
    "no model for embeddings is installed: install one under Models in the page, or with 'tabd pull all-minilm'",
};

interface Listed {
  name: string;
  capabilities?: string[];
}

/** The model that is named; else one in memory, else the first installed, of those that can do it. Throws where there is none. */
export async function modelFor(name: string, capability: Capability, context: Asking): Promise<string> {
  if (name.trim() !== '') return name.trim();
  const list = async (path: string) =>
    (await askJson<{ models?: Listed[] }>(path, undefined, context)).models ?? [];
  const fitting = (await list('/api/tags')).filter((model) => model.capabilities?.includes(capability));
  if (fitting.length === 0) throw new Error(LACKING[capability]);
  const loaded = (await list('/api/ps')).find(({ name }) => fitting.some((model) => model.name === name));
  return (loaded ?? fitting[0]!).name;
}

/** One JSON answer. Throws with the server's own words. */
export async function askJson<T>(path: string, body: object | undefined, context: Asking): Promise<T> {
  const response = await send(path, body, context);
  return told<T>(await response.text(), response);
}

/** An answer that comes line by line. Throws with the server's own words, also those of a failure in mid-stream. */
export async function* askLines<T>(path: string, body: object, context: Asking): AsyncGenerator<T> {
  const response = await send(path, body, context);
  if (!response.ok || !response.body) told(await response.text(), response);
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split('\n');
      rest = done ? '' : lines.pop()!;
      for (const line of lines) if (line.trim() !== '') yield told<T>(line, response);
      if (done) return;
    }
  } finally {
    // Who stops listening stops the model.
    await reader.cancel().catch(() => {});
  }
}

function send(path: string, body: object | undefined, { languageModels, signal }: Asking): Promise<Response> {
  if (!languageModels) throw new Error('this server has no language models beside its image workflows');
  return languageModels.fetch(path, {
    signal,
    ...(body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
}

function told<T>(text: string, response: Response): T {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = undefined;
  }
  const isObject = typeof answer === 'object' && answer !== null;
  const error = isObject ? (answer as { error?: unknown }).error : undefined;
  if (response.ok && isObject && error === undefined) return answer as T;
  throw new Error(
    typeof error === 'string' ? error : text.trim() || `the models answered ${response.status}`,
  );
}
