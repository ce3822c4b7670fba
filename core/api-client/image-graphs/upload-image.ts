import { isObject } from '#core/base';
import type { ApiCaller } from '../api-caller.ts';
import { ApiClientError } from '../api-client-error.ts';

/**
 * Stores an image among the temporary files of the image API. The same bytes are stored once.
 * @returns the name that LoadImage takes
 * @throws ApiClientError when it is refused
 */
export async function uploadImage(
  { localApis, signal }: Pick<ApiCaller, 'localApis' | 'signal'>,
  image: Blob,
): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await image.arrayBuffer()));
  const name = `${Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}.png`;
  const form = new FormData();
  form.append('image', image, name);
  form.append('type', 'temp');
  form.append('overwrite', 'true');
  const response = await localApis.fetch('/upload/image', { method: 'POST', body: form, signal });
  const stored: unknown = await response.json().catch(() => undefined);
  if (response.ok && isObject(stored)) return `${String(stored.name)} [temp]`;
  throw new ApiClientError(`The image cannot be stored (status ${response.status})`, {
    status: response.status,
  });
}
