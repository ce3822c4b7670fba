/** Calls the control API at an address. @throws for an error status */
export async function askControl<T>(
  address: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${address}/api/v1${path}`, {
    method,
    headers: { 'x-n8n-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}
