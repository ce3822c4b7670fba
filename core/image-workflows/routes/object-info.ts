/** `GET /object_info`: the nodes that graphs may use, with the choices of their inputs as they are now. */
import type { RouteCall } from '#core/http';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';

export const describeAllNodes = async ({ types, descriptions }: ImageServer): Promise<Response> =>
  pythonJsonResponse(await descriptions.describeAll(types.values()));

/** An unknown name gets an empty object. */
export async function describeOneNode(
  { types, descriptions }: ImageServer,
  { params }: RouteCall,
): Promise<Response> {
  const type = types.get(params.name!);
  return pythonJsonResponse(type ? { [type.name]: await descriptions.describe(type) } : {});
}
