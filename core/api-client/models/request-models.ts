/** Requests to the models of this server, by its Ollama API. */
import { isObject } from '#core/base';
import type { ApiCaller } from '../api-caller.ts';
import { ApiClientError } from '../api-client-error.ts';

type Caller = Pick<ApiCaller, 'localApis' | 'signal'>;

/** A capability of a model, in the words of `/api/tags`. */
export type ModelCapability = 'completion' | 'embedding' | 'vision' | 'audio' | 'speech';

const NOT_INSTALLED: Record<ModelCapability, { message: string; example?: string }> = {
  completion: { message: 'No model is installed that can answer', example: 'smollm2:135m' },
  embedding: { message: 'No model for embeddings is installed', example: 'all-minilm' },
  vision: { message: 'No model is installed that sees images' },
  audio: { message: 'No model is installed that hears' },
  speech: { message: 'No model is installed that speaks' },
};

/**
 * An installed model with the capability: one that is loaded, or the first one.
 * @throws ApiClientError when there is none
 */
export async function chooseInstalled(caller: Caller, capability: ModelCapability): Promise<string> {
  const { models } = (await requestModels(caller, 'GET', '/api/tags')) as { models?: unknown };
  const capableModels = (Array.isArray(models) ? models : []).filter(
    (model) =>
      isObject(model) && Array.isArray(model.capabilities) && model.capabilities.includes(capability),
  );
  if (capableModels.length > 0) return (await findLoaded(caller, capableModels)) ?? capableModels[0].name;
  const { message, example } = NOT_INSTALLED[capability];
  const command = example === undefined ? '' : `, or with 'tabd pull ${example}'`;
  throw new ApiClientError(message, { description: `Install one under Models in the page${command}.` });
}

/** The first of the models that is loaded: it answers without a delay. */
async function findLoaded(caller: Caller, models: { name: string }[]): Promise<string | undefined> {
  const answer = await requestModels(caller, 'GET', '/api/ps');
  const { models: loaded } = answer as { models?: { name: string }[] };
  return loaded?.find(({ name }) => models.some((model) => model.name === name))?.name;
}

/** The JSON that the API answers. @throws ApiClientError with the API's error message */
export async function requestModels(
  caller: Caller,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await caller.localApis.fetch(path, {
    method,
    signal: caller.signal,
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
  throw new ApiClientError(message, { status: response.status });
}
