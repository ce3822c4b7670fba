/** `GET /object_info`: the nodes that graphs may use, with the choices of their inputs as they are now. */
import type { RouteCall } from '#core/http';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';

export async function describeAllNodes({ types, descriptions }: ImageServer): Promise<Response> {
  const entries = [...types.values()].map(
    async (type) => [type.name, await descriptions.describe(type)] as const,
  );
  return pythonJsonResponse(new Map(await Promise.all(entries)));
}

/** An unknown name gets an empty object. */
export async function describeOneNode(
  { types, descriptions }: ImageServer,
  { params }: RouteCall,
): Promise<Response> {
  const type = types.get(params.name!);
  return pythonJsonResponse(type ? { [type.name]: await descriptions.describe(type) } : {});
}
