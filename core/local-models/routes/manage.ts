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
import { modelNotFound, requireModel } from '../runs/model-name.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { progressResponse } from './progress.ts';

const pullFields = structOf('api.PullRequest', {
  model: stringField,
  name: stringField,
  insecure: booleanField,
  variant: stringField,
  stream: booleanField,
  username: stringField,
  password: stringField,
});

/** Only a refused name has its own status. Later errors are a line of the stream, or a 500 without stream. */
export async function pullModel(
  { registry, host }: LocalModelServices,
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

function parseForDelete(registry: ModelRegistry, requestedName: string): ModelName {
  try {
    return registry.parse(requestedName);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(400, `name ${JSON.stringify(requestedName)} is invalid`);
  }
}

export async function deleteModel(
  { registry }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(deleteFields, await readBodyJson(request, signal));
  const requestedName = body.model || body.name || '';
  requireModel(requestedName);
  if (!(await registry.delete(parseForDelete(registry, requestedName)))) throw modelNotFound(requestedName);
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

export async function pushModel(
  { registry, host }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(pushFields, await readBodyJson(request, signal));
  const model = body.model || body.name || '';
  requireModel(model);
  registry.parse(model);
  return progressResponse(
    host.clock,
    (stop) => registry.push({ model, insecure: body.insecure ?? false }, stop),
    { stream: body.stream ?? true, always500: true },
    signal,
  );
}

const copyFields = structOf('api.CopyRequest', { source: stringField, destination: stringField });

export async function copyModel(
  { registry }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { source = '', destination = '' } = decodeBody(copyFields, await readBodyJson(request, signal));
  const parse = (requestedName: string, role: string): ModelName => {
    const name = tryParseName(requestedName);
    if (!name) throw new ApiError(400, `${role} ${JSON.stringify(requestedName)} is invalid`);
    return name;
  };
  const [from, to] = [parse(source, 'source'), parse(destination, 'destination')];
  if (!(await registry.copy(from, to))) throw new ApiError(404, `model ${JSON.stringify(source)} not found`);
  return emptyResponse(200);
}
