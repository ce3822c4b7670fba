/** The models of this server, for nodes of workflows. */
import * as clients from '#core/api-client';
import type { Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { text } from '../shared/parameters.ts';

export const modelParameter: Parameter = text('model', 'Model', {
  placeholder: 'The first one that is installed',
  description: 'Name of an installed model, such as smollm2:135m. Empty: the first one that fits.',
});

/**
 * The model that the node names. Or else, of the models with the capability, one that is loaded, or the first one.
 * @throws NodeError when no model has the capability
 */
export async function chooseModel(
  context: NodeContext,
  capability: clients.ModelCapability,
  index: number,
): Promise<string> {
  const name = await context.parameter('model', index);
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  return chooseInstalled(context, capability);
}

/** As the client of this name. @throws NodeError when there is no such model */
export const chooseInstalled = (...args: Parameters<typeof clients.chooseInstalled>) =>
  asNodeError(() => clients.chooseInstalled(...args));

/** As the client of this name. @throws NodeError with the API's error message */
export const requestModels = (...args: Parameters<typeof clients.requestModels>) =>
  asNodeError(() => clients.requestModels(...args));

/** Runs an API client. @throws NodeError for its errors */
export async function asNodeError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof clients.ApiClientError)) throw error;
    const { message, description, status, cause } = error;
    throw new NodeError(message, {
      ...(description !== undefined && { description }),
      ...(status !== undefined && { httpCode: String(status) }),
      ...(cause !== undefined && { cause }),
    });
  }
}
