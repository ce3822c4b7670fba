import { type ApiCaller, ApiClientError } from '#core/api-client';
import { isObject } from '#core/base';
import { readLines } from '#core/http';

/**
 * The text of a streamed answer of `/api/chat`. Each part counts as progress.
 * @throws ApiClientError with the API's error message
 */
export async function streamChat(
  { localApis, signal }: ApiCaller,
  body: object,
  report: (value: number, message: string) => void,
): Promise<string> {
  const response = await localApis.fetch('/api/chat', {
    method: 'POST',
    signal,
    body: JSON.stringify({ ...body, stream: true }),
    headers: { 'content-type': 'application/json' },
  });
  let text = '';
  let parts = 0;
  for await (const line of readLines(response.body)) {
    const part: unknown = JSON.parse(line);
    if (!isObject(part)) continue;
    if (part.error !== undefined) throw new ApiClientError(String(part.error), { status: response.status });
    const content = isObject(part.message) ? part.message.content : undefined;
    if (typeof content !== 'string' || content === '') continue;
    text += content;
    report(++parts, content);
  }
  return text;
}
