/** HEAD and POST /api/blobs/:digest */
import type { Digest } from '#core/host';
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import type { LocalModels } from '../runs/services.ts';

/** `sha256:<hex>` or `sha256-<hex>`, the hex in either case. Throws ApiError 400. */
export function readDigest(text: string): Digest {
  const hex = /^sha256[:-]([0-9a-fA-F]{64})$/.exec(text)?.[1];
  if (hex === undefined) throw new ApiError(400, 'invalid digest format');
  return `sha256:${hex.toLowerCase()}`;
}

export async function headBlob({ registry }: LocalModels, { params }: RouteCall): Promise<Response> {
  const digest = readDigest(params.digest!);
  if (!(await registry.hasBlob(digest))) throw new ApiError(404, `blob ${JSON.stringify(digest)} not found`);
  return new Response(null, { status: 200 });
}

/** The body is stored while it arrives, whatever its length. */
export async function postBlob(
  { registry }: LocalModels,
  { request, params, signal }: RouteCall,
): Promise<Response> {
  const digest = readDigest(params.digest!);
  // Firefox has no `Request.body`, whether or not there is one; a blob may lie on the disk.
  const body = request.body ?? (await request.blob()).stream();
  return emptyResponse((await registry.storeBlob(digest, body, signal)) ? 201 : 200);
}
