/** `GET /v1/images/files/NAME`: an image that an earlier answer named by its address. */
import type { ApiCaller } from '#core/api-client';
import { ApiError, type RouteCall } from '#core/http';

const TYPES = ['output', 'temp'];

/** @throws ApiError 404 if there is no such file */
export async function sendImageFile({ localApis, signal }: ApiCaller, call: RouteCall): Promise<Response> {
  const { searchParams } = call.url;
  const type = searchParams.get('type') ?? 'output';
  const filename = call.params.file ?? '';
  if (!TYPES.includes(type)) throw new ApiError(404, 'file not found');
  const query = new URLSearchParams({ filename, type, subfolder: searchParams.get('subfolder') ?? '' });
  const preview = searchParams.get('preview');
  if (preview !== null) query.set('preview', preview);
  const response = await localApis.fetch(`/view?${query}`, { signal });
  if (!response.ok) throw new ApiError(404, `file '${filename}' not found`);
  return response;
}
