/** Request bodies of ComfyUI's API, which ignores the content type of JSON. */
import { ApiError, JsonSyntaxError, type RouteCall, readBodyBytes } from '#core/http';
import { BodyNotJson, UploadTooLarge } from './errors.ts';
import { MAX_UPLOAD_SIZE } from './features.ts';
import { type PythonValue, parsePythonJson } from './python/python-value.ts';

/** @throws `UploadTooLarge`, or the reason of the call's signal */
export async function readUpload({ request, signal }: RouteCall): Promise<Uint8Array> {
  try {
    return await readBodyBytes(request, MAX_UPLOAD_SIZE, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) throw new UploadTooLarge();
    throw error;
  }
}

/**
 * @param whenEmpty replaces a body without bytes, which is an error otherwise
 * @throws `BodyNotJson`, `UploadTooLarge`
 */
export async function readJsonBody(call: RouteCall, whenEmpty?: PythonValue): Promise<PythonValue> {
  const bytes = await readUpload(call);
  if (bytes.length === 0 && whenEmpty !== undefined) return whenEmpty;
  try {
    return parsePythonJson(new TextDecoder().decode(bytes as Uint8Array<ArrayBuffer>));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new BodyNotJson(error.message);
    throw error;
  }
}

/** Undefined: the body is no form. */
export async function readForm(call: RouteCall): Promise<FormData | undefined> {
  const type = call.request.headers.get('content-type') ?? '';
  const bytes = await readUpload(call);
  if (!/^multipart\/form-data\s*;/i.test(type)) return undefined;
  try {
    return await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': type },
    }).formData();
  } catch {
    return undefined;
  }
}
