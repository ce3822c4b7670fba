import type { Recording } from './recording.ts';

/** Why a page cannot send the row's request, or cannot read its answer. Undefined if the page can do both. */
export function beyondPages({ call, answer }: Recording): string | undefined {
  const { method, headers = {}, body } = call;
  if (/^(TRACE|CONNECT)$/.test(method)) return `send ${method}`;
  if (/^(GET|HEAD)$/.test(method) && body !== undefined && body.length > 0)
    return `send a body with ${method}`;
  if (!/^[A-Z]+$/.test(method)) return `send the method ${method}`;
  const forbidden =
    /^(accept-encoding|access-control-.*|connection|cookie2?|date|expect|host|origin|proxy-.*|referer|te|trailer|transfer-encoding|upgrade|user-agent|via)$/;
  const name = Object.keys(headers).find(
    (header) => forbidden.test(header) && !isUsual(header, headers[header]!),
  );
  if (name) return `set the header ${name}`;
  if (answer.status >= 301 && answer.status <= 308 && answer.status !== 304) return 'see redirects';
  return undefined;
}

/** Headers of every client in the recordings. */
const isUsual = (name: string, value: string) =>
  (name === 'user-agent' && !/curl|bot|copilot/i.test(value)) ||
  (name === 'accept-encoding' && value === 'identity');
