/** Pagination: sends a request for each page, until a page says that it is the last. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { RequestDescription } from './describe-request.ts';
import type { ReceivedResponse } from './response.ts';

interface PaginationSettings {
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

/** After this many identical responses in a row, the requests evidently do not reach another page. */
const MAX_IDENTICAL = 5;
/** The limit where the node sets none. */
const MAX_PAGES = 10_000;

/** Whether the node has pagination switched on. */
export function isPaginated(context: NodeContext): boolean {
  return modeOf(settingsOf(context)) !== 'off';
}

/**
 * All pages, in order. A page that only marks the end, by its status or its empty body, is left out.
 * @throws NodeError when the same response comes again and again
 */
export async function* fetchPages(
  first: RequestDescription,
  fetchPage: (request: RequestDescription) => Promise<ReceivedResponse>,
  context: NodeContext,
  index: number,
): AsyncGenerator<ReceivedResponse> {
  const settings = settingsOf(context);
  const evaluate: Evaluate = (stored, fallback, variables = {}) =>
    context.evaluate(stored ?? fallback, index, variables);
  const limit = (await evaluate(settings.limitPagesFetched, true))
    ? Number(await evaluate(settings.maxRequests, 100))
    : MAX_PAGES;
  const pause = Number(await evaluate(settings.requestInterval, 0));
  const checkProgress = progressCheck();
  const firstVariables = { $pageCount: 0, $request: requestVariable(first), $response: undefined };
  let request =
    modeOf(settings) === 'updateAParameterInEachRequest'
      ? await updateParameters(first, settings, evaluate, firstVariables)
      : first;
  for (let count = 1; ; count++) {
    context.signal.throwIfAborted();
    const response = await fetchPage(request);
    const { body, headers, statusCode } = response;
    const variables = {
      $pageCount: count,
      $request: requestVariable(request),
      $response: { body: body ?? '', headers, statusCode },
    };
    const end = await endOfPages(response, settings, evaluate, variables);
    if (end === 'beforeThisPage') return;
    yield response;
    if (end === 'afterThisPage') return;
    if (count >= limit) {
      if (limit === MAX_PAGES) context.hint(`Stopped after ${MAX_PAGES} pages.`);
      return;
    }
    checkProgress(response);
    if (modeOf(settings) === 'responseContainsNextURL') {
      const next = await evaluate<unknown>(settings.nextURL, '', variables);
      if (typeof next !== 'string' || next.trim() === '') return;
      request = { ...first, url: new URL(next.trim(), request.url).href, query: {} };
    } else request = await updateParameters(first, settings, evaluate, variables);
    if (pause > 0) await context.sleep(pause);
  }
}

/** A function that throws when it has seen too many identical responses in a row. */
function progressCheck(): (response: ReceivedResponse) => void {
  let previous = '';
  let repeats = 0;
  return ({ statusCode, body }) => {
    const text = JSON.stringify([statusCode, body]);
    repeats = text === previous ? repeats + 1 : 1;
    previous = text;
    if (repeats < MAX_IDENTICAL) return;
    throw new NodeError(`The returned response was identical ${MAX_IDENTICAL}x, so requests got stopped`, {
      description: 'Check if "Pagination Completed When" has been configured correctly.',
    });
  };
}

/** Evaluates a stored setting for the current item, with the variables of the current page. */
type Evaluate = <T>(stored: unknown, fallback: T, variables?: object) => Promise<T>;

/** Whether the pages end, before or after this one. Undefined when there may be more. */
async function endOfPages(
  { statusCode, body, bytes }: ReceivedResponse,
  settings: PaginationSettings,
  evaluate: Evaluate,
  variables: object,
): Promise<'beforeThisPage' | 'afterThisPage' | undefined> {
  switch (settings.paginationCompleteWhen ?? 'responseIsEmpty') {
    case 'receiveSpecificStatusCodes': {
      const codes = String(await evaluate(settings.statusCodesWhenComplete, ''));
      return includesCode(codes, statusCode) ? 'beforeThisPage' : undefined;
    }
    case 'other': {
      const isComplete = await evaluate<unknown>(settings.completeExpression, '', variables);
      return isComplete === true ? 'afterThisPage' : undefined;
    }
    default:
      return isEmpty(bytes?.length === 0 ? '' : (body ?? bytes)) ? 'beforeThisPage' : undefined;
  }
}

/** Whether a status only marks the end of the pages, and so is no error. */
export async function endsPagination(context: NodeContext, index: number, status: number): Promise<boolean> {
  const { paginationCompleteWhen, statusCodesWhenComplete = '' } = settingsOf(context);
  if (paginationCompleteWhen !== 'receiveSpecificStatusCodes') return false;
  const codes = String(await context.evaluate(statusCodesWhenComplete, index));
  return includesCode(codes, status);
}

function includesCode(codes: string, status: number): boolean {
  return codes.split(',').some((code) => Number(code) === status);
}

/** The first request with the parameters of the next page. */
async function updateParameters(
  first: RequestDescription,
  settings: PaginationSettings,
  evaluate: Evaluate,
  variables: object,
): Promise<RequestDescription> {
  const request = { ...first, query: { ...first.query }, headers: { ...first.headers } };
  for (const { type = 'qs', name, value: stored } of settings.parameters?.parameters ?? []) {
    const value = await evaluate<unknown>(stored, '', variables);
    const key = String(await evaluate<unknown>(name, '', variables));
    if (key === '') continue;
    if (type === 'qs') request.query[key] = value;
    else if (type === 'headers') request.headers[key.toLowerCase()] = String(value);
    else if (request.body.kind === 'json' || request.body.kind === 'form' || request.body.kind === 'none') {
      const { kind } = request.body;
      const fields = kind === 'none' ? {} : (request.body.value as object);
      request.body = { kind: kind === 'form' ? 'form' : 'json', value: { ...fields, [key]: value } };
    } else throw new NodeError('Only bodies of JSON and forms have parameters that pages can change');
  }
  return request;
}

function settingsOf(context: NodeContext): PaginationSettings {
  return context.literal<PaginationSettings>('options.pagination.pagination', { paginationMode: 'off' });
}

/** Stored options without a mode have the default one. */
function modeOf({ paginationMode = 'updateAParameterInEachRequest' }: PaginationSettings) {
  return paginationMode;
}

/** `$request` in expressions. */
function requestVariable({ method, url, query, headers, body }: RequestDescription): object {
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
