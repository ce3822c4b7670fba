/** The examples of hosting send the headers of tabd's own server. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CONTENT_SECURITY_POLICY, isolationHeaders } from '#shim/app-server/response-headers.ts';

const chromium = new Request('http://localhost/', {
  headers: { 'sec-ch-ua': '"Chromium";v="156", "Not A Brand";v="8"' },
});
const { vary: _, ...isolation } = isolationHeaders(chromium);
const expectedHeaders = Object.entries({ ...isolation, 'content-security-policy': CONTENT_SECURITY_POLICY });

test.each([
  ['_headers', /^ {2}([\w-]+): (.*)$/gm],
  ['nginx.conf', /^ *add_header ([\w-]+) "(.*)";$/gm],
  ['.htaccess', /^ *Header set ([\w-]+) "(.*)"$/gm],
])('%s', async (name, line) => {
  const text = await readFile(new URL(`../../examples/hosting/${name}`, import.meta.url), 'utf8');
  const sent = [...text.matchAll(line)].map(([, header, value]) => [header!.toLowerCase(), value]);
  for (const pair of expectedHeaders) expect(sent).toContainEqual(pair);
  expect(text).toContain('public, max-age=31536000, immutable');
  expect(text).toContain('no-cache');
});
