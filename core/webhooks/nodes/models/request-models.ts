/** Requests of nodes to the models of this server, by its Ollama API. */

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

const INSTALL_HINTS: Record<Capability, string> = {
  completion: "Install one under Models in the page, or with 'tabd pull smollm2:135m'.",
  embedding: "Install one under Models in the page, or with 'tabd pull all-minilm'.",
};

/**
 * The model that the node names. Or else, of the models with the capability, one that is loaded, or the first one.
 * @throws NodeError when no model has the capability
 */
export async function chooseModel(
  context: NodeContext,
  capability: Capability,
  index: number,
): Promise<string> {
  const name = await context.parameter('model', index);
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  return chooseInstalled(context, capability);
}

/**
 * An installed model with the capability: one that is loaded, or the first one.
 * @throws NodeError when there is none
 */
export async function chooseInstalled(context: NodeContext, capability: Capability): Promise<string> {
  const { models } = (await requestModels(context, 'GET', '/api/tags')) as { models?: unknown };
  const capableModels = (Array.isArray(models) ? models : []).filter(
    (model) =>
      isObject(model) && Array.isArray(model.capabilities) && model.capabilities.includes(capability),
  );
  if (capableModels.length > 0) return (await findLoaded(context, capableModels)) ?? capableModels[0].name;
  throw new NodeError(
    capability === 'completion'
      ? 'No model is installed that can answer'
      : 'No model for embeddings is installed',
    { description: INSTALL_HINTS[capability] },
  );
}

/** The first of the models that is loaded: it answers without a delay. */
async function findLoaded(context: NodeContext, models: { name: string }[]): Promise<string | undefined> {
  const answer = await requestModels(context, 'GET', '/api/ps');
  const { models: loaded } = answer as { models?: { name: string }[] };
  return loaded?.find(({ name }) => models.some((model) => model.name === name))?.name;
}

/** The JSON that the API answers. @throws NodeError with the API's error message */
export async function requestModels(
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
  // A response whose head was sent early has status 200 and the error in its body.
  const error = isObject(answer) ? answer.error : undefined;
  if (response.ok && error === undefined && isObject(answer)) return answer;
  const message = typeof error === 'string' ? error : text.trim() || `status ${response.status}`;
  throw new NodeError(message, { httpCode: String(response.status) });
}
