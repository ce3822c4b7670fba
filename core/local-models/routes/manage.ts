/** POST /api/pull, POST /api/push, POST /api/copy and DELETE /api/delete */
import {
  ApiError,
  booleanField,
  decodeBody,
  emptyResponse,
  type RouteCall,
  readBodyJson,
  stringField,
  structOf,
} from '#core/http';
import type { ModelName } from '../base/installed-model.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { tryParseName } from '../registry/names/model-name.ts';
import type { LocalModels } from '../runs/services.ts';
import { progressResponse } from './progress.ts';
import { modelNotFound } from './run-request.ts';

const pullFields = structOf('api.PullRequest', {
  model: stringField,
  name: stringField,
  insecure: booleanField,
  variant: stringField,
  stream: booleanField,
  username: stringField,
  password: stringField,
});

/** Only refused names have a status of their own; what fails later is told in the stream, or as 500 without one. */
export async function pull(
  { registry, host }: LocalModels,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(pullFields, await readBodyJson(request, signal));
  const model = body.model || body.name || '';
  registry.parse(model);
  return progressResponse(
    host.clock,
    (stop) =>
      registry.pull(
        { model, insecure: body.insecure ?? false, ...(body.variant && { variant: body.variant }) },
        stop,
      ),
    { stream: body.stream ?? true, always500: true },
    signal,
  );
}

const deleteFields = structOf('api.DeleteRequest', { model: stringField, name: stringField });

function parseForDelete(registry: ModelRegistry, spelled: string): ModelName {
  try {
    return registry.parse(spelled);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(400, `name ${JSON.stringify(spelled)} is invalid`);
  }
}

export async function remove({ registry }: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const body = decodeBody(deleteFields, await readBodyJson(request, signal));
  const spelled = body.model || body.name || '';
  if (spelled === '') throw new ApiError(400, 'model is required');
  if (!(await registry.delete(parseForDelete(registry, spelled)))) throw modelNotFound(spelled);
  return emptyResponse(200);
}

const pushFields = structOf('api.PushRequest', {
  model: stringField,
  name: stringField,
  insecure: booleanField,
  stream: booleanField,
  username: stringField,
  password: stringField,
});

export async function push(
  { registry, host }: LocalModels,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(pushFields, await readBodyJson(request, signal));
  const model = body.model || body.name || '';
  if (model === '') throw new ApiError(400, 'model is required');
  registry.parse(model);
  return progressResponse(
    host.clock,
    (stop) => registry.push({ model, insecure: body.insecure ?? false }, stop),
    { stream: body.stream ?? true, always500: true },
    signal,
  );
}

const copyFields = structOf('api.CopyRequest', { source: stringField, destination: stringField });

export async function copy({ registry }: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const { source = '', destination = '' } = decodeBody(copyFields, await readBodyJson(request, signal));
  const named = (spelled: string, what: string): ModelName => {
    const name = tryParseName(spelled);
    if (!name) throw new ApiError(400, `${what} ${JSON.stringify(spelled)} is invalid`);
    return name;
  };
  const [from, to] = [named(source, 'source'), named(destination, 'destination')];
  if (!(await registry.copy(from, to))) throw new ApiError(404, `model ${JSON.stringify(source)} not found`);
  return emptyResponse(200);
}
