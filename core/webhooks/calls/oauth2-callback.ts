/** `/rest/oauth2-credential/callback`: a service sends the browser back here after a login. */
import { ApiError, textResponse } from '#core/http';
import { escapeHtml, formDocument } from '../forms/render/document.ts';
import { NodeError } from '../node-api/node-error.ts';
import type { WebhookServices } from '../services.ts';

/** Answers with a page for the person. It repeats no code and no token. */
export async function answerOAuth2Callback(
  url: URL,
  { connections }: Pick<WebhookServices, 'connections'>,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const { name } = await connections.finish(url.searchParams, signal);
    return page(200, 'Connected', `The credential “${name}” is connected. You can close this window.`);
  } catch (error) {
    if (error instanceof ApiError) return page(error.status, 'Not connected', error.message);
    if (!(error instanceof NodeError)) throw error;
    const reason = [error.message, error.description].filter(Boolean).join(': ');
    return page(400, 'Not connected', reason);
  }
}

function page(status: number, title: string, text: string): Response {
  const body = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`;
  const html = formDocument({ title, css: '', body, attribution: false });
  return textResponse(html, status, 'text/html; charset=utf-8', {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
  });
}
