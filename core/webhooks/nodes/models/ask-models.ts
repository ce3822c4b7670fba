/** Asking the models of this server. */

import { isObject } from '#core/base';
import type { Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { text } from '../shared/parameters.ts';

type Capability = 'completion' | 'embedding';

export const modelParameter: Parameter = text('model', 'Model', {
  placeholder: 'The first one that is installed',
  description: 'Name of an installed model, such as smollm2:135m. Empty: the first one that fits.',
});

const INSTALL: Record<Capability, string> = {
  completion: "Install one under Models in the page, or with 'tabd pull smollm2:135m'.",
  embedding: "Install one under Models in the page, or with 'tabd pull all-minilm'.",
};

/** The model that is set, or the one used last (or installed first) of those that can do it. Throws `NodeError`. */
export async function modelFor(context: NodeContext, capability: Capability, index: number): Promise<string> {
  const set = await context.parameter('model', index);
  if (typeof set === 'string' && set.trim() !== '') return set.trim();
  const { models } = (await askModels(context, 'GET', '/api/tags')) as { models?: unknown };
  const fitting = (Array.isArray(models) ? models : []).filter(
    (model) =>
      isObject(model) && Array.isArray(model.capabilities) && model.capabilities.includes(capability),
  );
  if (fitting.length > 0) return (await loadedAmong(context, fitting)) ?? fitting[0].name;
  throw new NodeError(
    capability === 'completion'
      ? 'No model is installed that can answer'
      : 'No model for embeddings is installed',
    { description: INSTALL[capability] },
  );
}

/** One that is in memory answers at once. */
async function loadedAmong(context: NodeContext, fitting: { name: string }[]): Promise<string | undefined> {
  const { models } = (await askModels(context, 'GET', '/api/ps')) as { models?: { name: string }[] };
  return models?.find(({ name }) => fitting.some((one) => one.name === name))?.name;
}

/** Throws `NodeError` with the server's own words. */
export async function askModels(
  context: NodeContext,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await context.localApis.fetch(path, {
    method,
    signal: context.signal,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = undefined;
  }
  // A failure after the head had to go out stands in the body of a 200.
  const told = isObject(answer) ? answer.error : undefined;
  if (response.ok && told === undefined && isObject(answer)) return answer;
  const message = typeof told === 'string' ? told : text.trim() || `status ${response.status}`;
  throw new NodeError(message, { httpCode: String(response.status) });
}
