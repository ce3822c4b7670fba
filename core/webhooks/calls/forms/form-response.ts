/** Responses of forms: pages, and the short answers that their script reads. */
import { jsonResponse } from '#core/http';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import type { HeaderPair } from '../cors.ts';
import { sandboxResponse } from '../response/response-headers.ts';

interface PageOptions {
  status?: number;
  /** Browsers show the page without the rights of this origin. Default true. */
  sandboxed?: boolean;
  headers?: HeaderPair[];
}

/** A page as a response. It is never stored: it may hold values of one visitor. */
export function pageResponse(
  html: string,
  { sandboxedResponses }: Pick<WebhookSettings, 'sandboxedResponses'>,
  { status = 200, sandboxed = true, headers: pairs = [] }: PageOptions = {},
): Response {
  const headers = new Headers([...pairs, ['cache-control', 'no-store']]);
  headers.set('content-type', 'text/html; charset=utf-8');
  if (sandboxed && sandboxedResponses) sandboxResponse(headers);
  return new Response(html, { status, headers });
}

/** `{ "status": 200 }`: the form was received. */
export function receivedResponse(
  { sandboxedResponses }: Pick<WebhookSettings, 'sandboxedResponses'>,
  pairs: HeaderPair[],
): Response {
  const response = jsonResponse({ status: 200 }, 200, pairs);
  if (sandboxedResponses) sandboxResponse(response.headers);
  return response;
}

/** Whether a browser sent the form without the script of the page: it shows the answer as a page. */
export function isPageRequest({ headers }: Request): boolean {
  return headers.get('sec-fetch-mode') === 'navigate' || /\btext\/html\b/.test(headers.get('accept') ?? '');
}
