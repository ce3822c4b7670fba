/** Goes from page to page. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { Answer } from './answer.ts';
import type { Described } from './request.ts';

interface Settings {
  paginationMode?: 'off' | 'updateAParameterInEachRequest' | 'responseContainsNextURL';
  nextURL?: unknown;
  parameters?: { parameters?: { type?: 'qs' | 'headers' | 'body'; name?: string; value?: unknown }[] };
  paginationCompleteWhen?: 'responseIsEmpty' | 'receiveSpecificStatusCodes' | 'other';
  statusCodesWhenComplete?: unknown;
  completeExpression?: unknown;
  limitPagesFetched?: boolean;
  maxRequests?: number;
  requestInterval?: number;
}

/** As often the same answer means that the pages do not move on. */
const SAME_ANSWERS = 5;
/** Of pages that nothing else ends. */
const MOST_PAGES = 10_000;

export function isPaged(context: NodeContext): boolean {
  return modeOf(settingsOf(context)) !== 'off';
}

/** All pages, in order. A page whose status says that there are no more is left out. */
export async function* pages(
  first: Described,
  ask: (request: Described) => Promise<Answer>,
  context: NodeContext,
  index: number,
): AsyncGenerator<Answer> {
  const settings = settingsOf(context);
  const value = <T>(stored: unknown, fallback: T, extra: object = {}): Promise<T> =>
    context.evaluate<T>(stored ?? fallback, index, extra);
  const limit = (await value(settings.limitPagesFetched, true))
    ? Number(await value(settings.maxRequests, 100))
    : MOST_PAGES;
  const pause = Number(await value(settings.requestInterval, 0));
  const seen = { text: '', times: 0 };
  let request = first;
  let about: object = { $pageCount: 0, $request: shown(first), $response: undefined };
  if (modeOf(settings) === 'updateAParameterInEachRequest')
    request = await changed(first, settings, value, about);
  for (let count = 1; ; count++) {
    context.signal.throwIfAborted();
    const answer = await ask(request);
    const { body, headers, statusCode } = answer;
    about = {
      $pageCount: count,
      $request: shown(request),
      $response: { body: body ?? '', headers, statusCode },
    };
    const end = await isLast(answer, settings, value, about);
    if (end === 'without') return;
    yield answer;
    if (end === 'with' || count >= limit) {
      if (!end && limit === MOST_PAGES) context.hint(`Stopped after ${MOST_PAGES} pages.`);
      return;
    }
    const text = JSON.stringify([statusCode, body]);
    seen.times = text === seen.text ? seen.times + 1 : 1;
    seen.text = text;
    if (seen.times >= SAME_ANSWERS) {
      throw new NodeError(`The returned response was identical ${SAME_ANSWERS}x, so requests got stopped`, {
        description: 'Check if "Pagination Completed When" has been configured correctly.',
      });
    }
    if (modeOf(settings) === 'responseContainsNextURL') {
      const next = await value<unknown>(settings.nextURL, '', about);
      if (typeof next !== 'string' || next.trim() === '') return;
      request = { ...first, url: new URL(next.trim(), request.url).href, query: {} };
    } else request = await changed(first, settings, value, about);
    if (pause > 0) await context.sleep(pause);
  }
}

type Value = <T>(stored: unknown, fallback: T, extra?: object) => Promise<T>;

async function isLast(
  { statusCode, body, bytes }: Answer,
  settings: Settings,
  value: Value,
  about: object,
): Promise<'with' | 'without' | undefined> {
  switch (settings.paginationCompleteWhen ?? 'responseIsEmpty') {
    case 'receiveSpecificStatusCodes': {
      const codes = String(await value(settings.statusCodesWhenComplete, ''));
      return codes.split(',').some((code) => Number(code) === statusCode) ? 'without' : undefined;
    }
    case 'other':
      return (await value<unknown>(settings.completeExpression, '', about)) === true ? 'with' : undefined;
    default:
      return isEmpty(bytes?.length === 0 ? '' : (body ?? (bytes ? bytes : ''))) ? 'without' : undefined;
  }
}

/** Statuses that end the pages are no errors. */
export async function endsPages(context: NodeContext, index: number, status: number): Promise<boolean> {
  const { paginationCompleteWhen, statusCodesWhenComplete = '' } = settingsOf(context);
  if (paginationCompleteWhen !== 'receiveSpecificStatusCodes') return false;
  const codes = String(await context.evaluate(statusCodesWhenComplete, index));
  return codes.split(',').some((code) => Number(code) === status);
}

async function changed(
  first: Described,
  settings: Settings,
  value: Value,
  about: object,
): Promise<Described> {
  const request = { ...first, query: { ...first.query }, headers: { ...first.headers } };
  for (const { type = 'qs', name, value: stored } of settings.parameters?.parameters ?? []) {
    const given = await value<unknown>(stored, '', about);
    const key = String(await value<unknown>(name, '', about));
    if (key === '') continue;
    if (type === 'qs') request.query[key] = given;
    else if (type === 'headers') request.headers[key.toLowerCase()] = String(given);
    else if (request.body.kind === 'json' || request.body.kind === 'form' || request.body.kind === 'none') {
      const { kind } = request.body;
      const fields = kind === 'none' ? {} : (request.body.value as object);
      request.body = { kind: kind === 'form' ? 'form' : 'json', value: { ...fields, [key]: given } };
    } else throw new NodeError('Only bodies of JSON and forms have parameters that pages can change');
  }
  return request;
}

function settingsOf(context: NodeContext): Settings {
  return context.literal<Settings>('options.pagination.pagination', { paginationMode: 'off' });
}

/** What was added without a mode has the first one. */
function modeOf({ paginationMode = 'updateAParameterInEachRequest' }: Settings) {
  return paginationMode;
}

function shown({ method, url, query, headers, body }: Described): object {
  return {
    method,
    url,
    qs: query,
    headers,
    body: body.kind === 'json' || body.kind === 'form' ? body.value : undefined,
  };
}

function isEmpty(body: unknown): boolean {
  if (body === '' || body === undefined || body === null) return true;
  if (Array.isArray(body)) return body.length === 0;
  return isObject(body) && Object.keys(body).length === 0;
}
