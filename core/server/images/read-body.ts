/** Reads the bodies of OpenAI's image requests: JSON, or a form with images. */
import { isObject } from '#core/base';
import {
  ApiError,
  MAX_JSON_BODY,
  type RouteCall,
  readBodyBytes,
  readBodyJson,
  toPlainValue,
} from '#core/http';
import { type ImageRequest, readImageRequest } from './image-request.ts';

/** A request with the images that it changes. */
export interface EditRequest extends ImageRequest {
  image: Blob;
  mask?: Blob;
}

/** @throws ApiError 400 for a body that is no JSON object or has a wrong field */
export async function readGeneration({ request, signal }: RouteCall): Promise<ImageRequest> {
  const body: unknown = toPlainValue((await readBodyJson(request, signal)).root);
  if (!isObject(body)) throw new ApiError(400, 'The body is a JSON object.');
  return readImageRequest((name) => body[name]);
}

/** @throws ApiError 400 for a body that is no form, has no image or has a wrong field */
export async function readEdit(
  { request, signal }: RouteCall,
  options: { needsPrompt?: boolean } = {},
): Promise<EditRequest> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(type)) {
    throw new ApiError(400, 'The body is a form (multipart/form-data).');
  }
  const bytes = await readBodyBytes(request, MAX_JSON_BODY, signal);
  const form = await new Response(bytes as BufferSource, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new ApiError(400, 'The form cannot be read.');
    });
  // The clients send several images as `image[]`. The first is changed.
  const image = form.get('image') ?? form.get('image[]');
  if (!(image instanceof Blob) || image.size === 0) {
    throw new ApiError(400, "Missing required parameter: 'image'.");
  }
  const mask = form.get('mask');
  const fields = readImageRequest((name) => form.get(name) ?? undefined, options);
  return { ...fields, image, ...(mask instanceof Blob && mask.size > 0 && { mask }) };
}
