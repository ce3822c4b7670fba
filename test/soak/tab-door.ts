/** A door to the server in a tab: requests of its own page. */
import type { Page } from '@playwright/test';
import { type Door, isBytes, type SoakRequest } from './door.ts';

export function tabDoor(page: Page): Door {
  const begin = ({ method, path, headers, body }: SoakRequest, milliseconds?: number) =>
    page.evaluate(
      async ({ method, path, headers, text, bytes, milliseconds }) => {
        const leaving = milliseconds === undefined ? undefined : AbortSignal.timeout(milliseconds);
        try {
          const response = await fetch(path, {
            method,
            headers,
            ...(text !== undefined && { body: text }),
            ...(bytes && { body: Uint8Array.from(bytes) }),
            ...(leaving && { signal: leaving }),
          });
          return { status: response.status, text: await response.text() };
        } catch (error) {
          if (leaving?.aborted) return { status: 0, text: '' };
          throw error;
        }
      },
      {
        method,
        path,
        headers: { ...(body && !isBytes(body) && { 'content-type': 'application/json' }), ...headers },
        milliseconds,
        text: body && !isBytes(body) ? JSON.stringify(body) : undefined,
        bytes: body && isBytes(body) ? [...body] : undefined,
      },
    );
  return {
    send: (_api, request) => begin(request),
    async leave(_api, request, milliseconds) {
      await begin(request, milliseconds);
    },
    async control(method, path, body) {
      const { status, text } = await begin({
        method,
        path: `/api/v1${path}`,
        headers: { 'x-n8n-api-key': 'this page' },
        ...(body !== undefined && { body: body as object }),
      });
      if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
      return JSON.parse(text);
    },
  };
}
