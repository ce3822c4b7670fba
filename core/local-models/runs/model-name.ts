/** Names of models in requests: the checks that every route and dialect makes. */
import { ApiError } from '#core/http';
import type { InstalledModel } from '../base/installed-model.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { splitSource } from '../registry/names/source-suffix.ts';

/**
 * Refuses a request that names no model. Routes that take blanks for a missing name pass the trimmed name.
 * @throws ApiError 400
 */
export function requireModel(requestedName: string): void {
  if (requestedName === '') throw new ApiError(400, 'model is required');
}

/** The answer to a model that is not installed. `requestedName`: as the client wrote it. */
export function modelNotFound(requestedName: string): ApiError {
  return new ApiError(404, `model '${requestedName}' not found`);
}

/**
 * The name without white space and without the suffix `:local`.
 * @param unavailable completes the error text for a cloud model
 * @throws ApiError 403 for a cloud model, as there is no cloud here; 400 when the name asks for both sources
 */
export function localName(requestedName: string, unavailable = 'remote model is unavailable'): string {
  const { name, source } = splitSource(requestedName);
  if (source === 'cloud') throw new ApiError(403, `ollama cloud is disabled: ${unavailable}`);
  return name;
}

/**
 * Looks the model of a chat or completion up.
 * @throws ApiError 403 for a cloud model, 400 for an invalid name, 404 when the model is not installed
 */
export async function requireInstalled(
  registry: ModelRegistry,
  requestedName: string,
): Promise<InstalledModel> {
  const installed = await registry.find(registry.parse(localName(requestedName)));
  if (!installed) throw modelNotFound(requestedName);
  return installed;
}
