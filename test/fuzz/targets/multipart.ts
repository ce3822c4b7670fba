/** Multipart forms of webhook calls. */
import { MultipartError } from '#core/webhooks/calls/body/byte-scanner.ts';
import { readMultipart } from '#core/webhooks/calls/body/multipart.ts';
import { fuzzTarget, requireEqual } from '../target.ts';

const BOUNDARY = 'b';

export default fuzzTarget({
  invariant: 'parts do not depend on how the body is cut into chunks',
  seeds: () => [
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n',
    'preamble\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="C:\\x\\y.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n-b\r\n--b\r\ncontent-disposition: form-data; name=g; filename*=UTF-8\'\'%e2%82%ac\r\n\r\n\r\n--b--',
  ],
  refusals: [MultipartError],
  async run(input) {
    const complete = await partsOf(input, input.length);
    const size = 1 + ((input[0] ?? 0) % 7);
    requireEqual('chunks change nothing', await partsOf(input, size).catch(String), complete);
  },
});

async function partsOf(input: Uint8Array<ArrayBuffer>, size: number): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const { content, ...part } of readMultipart(chunks(input, size), BOUNDARY)) {
    const bytes: number[] = [];
    for await (const chunk of content) bytes.push(...chunk);
    parts.push({ ...part, bytes });
  }
  return parts;
}

async function* chunks(input: Uint8Array<ArrayBuffer>, size: number) {
  for (let at = 0; at < input.length; at += size) yield input.slice(at, at + size);
}
