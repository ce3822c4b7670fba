import { textResponse } from '#core/http';

/**
 * An error as document 3 writes it. Webhooks are public, so a page of any origin may read why its call failed.
 * @param code where it differs from the status
 */
export function problem(
  status: number,
  message: string,
  more: { hint?: string; code?: number } = {},
): Response {
  const { code = status, hint } = more;
  const body = JSON.stringify({ code, message, hint });
  return textResponse(body, status, 'application/json; charset=utf-8', {
    'access-control-allow-origin': '*',
  });
}
