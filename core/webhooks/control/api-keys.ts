/** Keys of this API: only its owner makes and withdraws them, a key does not make others. */
import { ApiError } from '#core/http';
import type { ControlCall } from './call.ts';

const MAX_LABEL = 100;

export async function listKeys(call: ControlCall): Promise<object> {
  ownerOnly(call);
  return { data: await call.keys.list() };
}

/** `apiKey` is told here and never again. `temporary`: good until this server ends, and not listed. */
export async function createKey(call: ControlCall): Promise<object> {
  ownerOnly(call);
  const { label = 'key', temporary } = await call.body();
  if (typeof label !== 'string' || label.length > MAX_LABEL) {
    throw new ApiError(400, `request/body/label must be a string of at most ${MAX_LABEL} characters`);
  }
  if (temporary === true) return { apiKey: await call.keys.createTemporary() };
  const { info, key } = await call.keys.create(label);
  return { ...info, apiKey: key };
}

export async function deleteKey(call: ControlCall): Promise<object> {
  ownerOnly(call);
  if (await call.keys.delete(call.params.id!)) return { id: call.params.id };
  throw new ApiError(404, `There is no key with the ID "${call.params.id}"`);
}

function ownerOnly({ owner }: ControlCall): void {
  if (owner) return;
  throw new ApiError(403, "Keys are managed on the computer of this server, with 'tabd key'");
}
