/** HEAD and POST /api/blobs/:digest */
import type { Digest } from '#core/host';
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import type { LocalModelServices } from '../runs/services.ts';

/**
 * Reads `sha256:<hex>` or `sha256-<hex>`, with hexadecimal digits in either case.
 * @throws ApiError 400
 */
export function readDigest(text: string): Digest {
  const hex = /^sha256[:-]([0-9a-fA-F]{64})$/.exec(text)?.[1];
  if (hex === undefined) throw new ApiError(400, 'invalid digest format');
  return `sha256:${hex.toLowerCase()}`;
}

export async function checkBlob({ registry }: LocalModelServices, { params }: RouteCall): Promise<Response> {
  const digest = readDigest(params.digest!);
  if (!(await registry.hasBlob(digest))) throw new ApiError(404, `blob ${JSON.stringify(digest)} not found`);
  return new Response(null, { status: 200 });
}

/** Stores the body while it arrives. Its length is not limited. */
export async function storeBlob(
  { registry }: LocalModelServices,
  { request, params, signal }: RouteCall,
): Promise<Response> {
  const digest = readDigest(params.digest!);
  // Firefox has no `Request.body`. Its blob may be on disk, so that a long body does not fill the memory.
  const body = request.body ?? (await request.blob()).stream();
  return emptyResponse((await registry.storeBlob(digest, body, signal)) ? 201 : 200);
}
