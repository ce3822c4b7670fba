/** Request bodies of ComfyUI's API, which ignores the content type of JSON. */
import { runYielding } from '#core/base';
import { ApiError, decodeText, JsonSyntaxError, type RouteCall, readBodyBytes } from '#core/http';
import { BodyNotJson, UploadTooLarge } from './errors.ts';
import { MAX_UPLOAD_SIZE } from './features.ts';
import { type PythonValue, pythonJsonSteps } from './python/python-value.ts';

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
    return await runYielding(pythonJsonSteps(await decodeText(bytes, call.signal)), call.signal);
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
