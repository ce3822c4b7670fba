/** Credentials: entered, changed, deleted. What is in them is never given out. */

import { isObject } from '#core/base';
import { ApiError } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import type { CredentialInfo } from '../credentials/credential-store.ts';
import { credentialType, credentialTypes, dataSchema } from '../credentials/credential-types.ts';
import type { ControlCall } from './call.ts';

export async function listCredentials({ credentials }: ControlCall): Promise<object> {
  return { data: (await credentials.list()).map(credentialJson), nextCursor: null };
}

export async function createCredential(call: ControlCall): Promise<object> {
  const body = await call.body();
  for (const name of ['name', 'type', 'data']) {
    if (body[name] === undefined)
      throw new ApiError(400, `request/body must have required property '${name}'`);
  }
  const { name, type, data } = change(body);
  return credentialJson(await call.credentials.create(name!, type!, data!));
}

/** `isPartialData`: fields that are left out stay as they are. */
export async function updateCredential(call: ControlCall): Promise<object> {
  const body = await call.body();
  const partial = body.isPartialData === true;
  const updated = await call.credentials.update(call.params.id!, { ...change(body), partial });
  if (!updated) throw notFound(call);
  return credentialJson(updated);
}

export async function deleteCredential(call: ControlCall): Promise<object> {
  const deleted = await call.credentials.delete(call.params.id!);
  if (!deleted) throw notFound(call);
  return credentialJson(deleted);
}

export async function credentialSchema({ params }: ControlCall): Promise<object> {
  const type = credentialType(params.type!);
  if (!type) throw new ApiError(404, 'Not Found');
  return dataSchema(type);
}

/** For forms: every type with its fields. */
export async function listCredentialTypes(): Promise<object> {
  return { data: credentialTypes };
}

function change(body: Record<string, unknown>): { name?: string; type?: string; data?: JsonObject } {
  const { name, type, data } = body;
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) {
    throw new ApiError(400, 'request/body/name must be a string that is not empty');
  }
  if (type !== undefined && typeof type !== 'string')
    throw new ApiError(400, 'request/body/type must be string');
  if (data !== undefined && !isObject(data)) throw new ApiError(400, 'request/body/data must be object');
  return { ...(name !== undefined && { name }), ...(type !== undefined && { type }), ...(data && { data }) };
}

function credentialJson({ id, name, type, createdAt, updatedAt }: CredentialInfo): object {
  return { id, name, type, isManaged: false, isGlobal: false, createdAt, updatedAt };
}

function notFound({ params }: ControlCall): ApiError {
  return new ApiError(404, `The credential with the ID "${params.id}" does not exist`);
}
