/** Keys of this API. Only the owner creates and deletes them: a key does not create others. */
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import type { WebhookServices } from '../services.ts';
import { readJsonObject } from './request-body.ts';

const MAX_LABEL = 100;

export async function listKeys({ keys }: WebhookServices, call: RouteCall): Promise<Response> {
  requireOwner(call);
  return jsonResponse({ data: await keys.list() });
}

/** Only this response shows `apiKey`. A `temporary` key is valid until the server ends, and is not listed. */
export async function createKey({ keys }: WebhookServices, call: RouteCall): Promise<Response> {
  requireOwner(call);
  const { label = 'key', temporary } = await readJsonObject(call);
  if (typeof label !== 'string' || label.length > MAX_LABEL) {
    throw new ApiError(400, `request/body/label must be a string of at most ${MAX_LABEL} characters`);
  }
  if (temporary === true) return jsonResponse({ apiKey: await keys.createTemporary() });
  const { info, key } = await keys.create(label);
  return jsonResponse({ ...info, apiKey: key });
}

export async function deleteKey({ keys }: WebhookServices, call: RouteCall): Promise<Response> {
  requireOwner(call);
  const id = call.params.id!;
  if (!(await keys.delete(id))) throw new ApiError(404, `There is no key with the ID "${id}"`);
  return jsonResponse({ id });
}

function requireOwner({ context }: RouteCall): void {
  if (context.caller !== undefined) return;
  throw new ApiError(
    403,
    "Keys are managed on the computer of this server, with 'tabd key', or 'tabd key --cluster'",
  );
}
