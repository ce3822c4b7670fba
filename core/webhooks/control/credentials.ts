/** Credentials: created, changed, deleted. Responses never contain their data. */
import { isObject } from '#core/base';
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import type { CredentialInfo } from '../credentials/credential-store.ts';
import { credentialType, credentialTypes, dataSchema } from '../credentials/credential-types.ts';
import { NodeError } from '../node-api/node-error.ts';
import type { WebhookServices } from '../services.ts';
import { readJsonObject, requireProperties } from './request-body.ts';

export async function listCredentials({ credentials }: WebhookServices): Promise<Response> {
  return jsonResponse({ data: (await credentials.list()).map(credentialJson), nextCursor: null });
}

export async function createCredential({ credentials }: WebhookServices, call: RouteCall): Promise<Response> {
  const body = await readJsonObject(call);
  requireProperties(body, ['name', 'type', 'data']);
  const { name, type, data } = readChange(body);
  return jsonResponse(credentialJson(await credentials.create(name!, type!, data!)));
}

/** Updates a credential. With `isPartialData`, missing fields keep their values. */
export async function updateCredential({ credentials }: WebhookServices, call: RouteCall): Promise<Response> {
  const body = await readJsonObject(call);
  const partial = body.isPartialData === true;
  const updated = await credentials.update(call.params.id!, { ...readChange(body), partial });
  if (!updated) throw notFound(call);
  return jsonResponse(credentialJson(updated));
}

export async function deleteCredential({ credentials }: WebhookServices, call: RouteCall): Promise<Response> {
  const deleted = await credentials.delete(call.params.id!);
  if (!deleted) throw notFound(call);
  return jsonResponse(credentialJson(deleted));
}

/** Begins the login of a credential: `url` is the page to open. Without a page the credential is connected. */
export async function connectCredential(
  { connections }: WebhookServices,
  { params, signal }: RouteCall,
): Promise<Response> {
  try {
    const url = await connections.begin(params.id!, signal);
    return jsonResponse(url === undefined ? { connected: true } : { url });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new ApiError(400, [error.message, error.description].filter(Boolean).join(': '));
  }
}

export function getCredentialSchema(_services: WebhookServices, { params }: RouteCall): Response {
  const type = credentialType(params.type!);
  if (!type) throw new ApiError(404, 'Not Found');
  return jsonResponse(dataSchema(type));
}

/** Lists the types of credentials with their fields, for forms, and the address that services send a login back to. */
export function listCredentialTypes({ connections }: WebhookServices): Response {
  return jsonResponse({ data: credentialTypes, oauthRedirectUrl: connections.redirectUri });
}

function readChange(body: Record<string, unknown>): { name?: string; type?: string; data?: JsonObject } {
  const { name, type, data } = body;
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) {
    throw new ApiError(400, 'request/body/name must be a string that is not empty');
  }
  if (type !== undefined && typeof type !== 'string') {
    throw new ApiError(400, 'request/body/type must be string');
  }
  if (data !== undefined && !isObject(data)) throw new ApiError(400, 'request/body/data must be object');
  return { ...(name !== undefined && { name }), ...(type !== undefined && { type }), ...(data && { data }) };
}

function credentialJson({ id, name, type, createdAt, updatedAt, connected }: CredentialInfo): object {
  const { grantType } = credentialType(type)?.oauth2 ?? { grantType: 'serviceAccount' };
  const isConnected = grantType !== 'serviceAccount' && { connected: connected === true };
  return { id, name, type, isManaged: false, isGlobal: false, createdAt, updatedAt, ...isConnected };
}

function notFound({ params }: RouteCall): ApiError {
  return new ApiError(404, `The credential with the ID "${params.id}" does not exist`);
}
