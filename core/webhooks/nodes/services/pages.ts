/** Requests the pages of a list. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { ReceivedResponse } from '../network/http-request/response.ts';
import type { Operation, Paging } from './description.ts';
import type { Scope } from './fill.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';

/** Pages of one operation. A service that always names a next page must not keep a workflow busy. */
const MAX_PAGES = 1000;

/** The elements of a list, or one value as a list. */
export function elementsOf(body: unknown, path: string | undefined): unknown[] {
  const value = path === undefined ? body : getPath(body, path);
  if (Array.isArray(value)) return value;
  return value === undefined && path !== undefined ? [] : [value];
}

export async function pages(
  call: ServiceCall,
  operation: Operation,
  page: Paging,
  scope: Scope,
): Promise<unknown[]> {
  const { context, index } = call;
  const returnAll = page.all === true || (await context.parameter('returnAll', index, false)) === true;
  const limit = returnAll ? Number.POSITIVE_INFINITY : Number(await context.parameter('limit', index, 50));
  let first = await describeTemplate(call, operation, scope);
  let isContinued = false;
  const found: unknown[] = [];
  let link: string | undefined;
  const isOnly = page.single === true && !returnAll;
  let parameters: JsonObject =
    page.number === undefined || isOnly ? {} : { [page.number]: page.firstNumber ?? 1 };
  for (let count = 1; count <= MAX_PAGES; count++) {
    const left = limit - found.length;
    const size = page.size &&
      !isContinued && { [page.size.name]: isOnly ? limit : Math.min(page.size.max, left) };
    const added: JsonObject = {
      ...size,
      ...parameters,
      ...statementOf(page, first.query, found.length, left),
    };
    const description =
      page.in === 'body'
        ? { ...first, body: { kind: 'json' as const, value: withPaths(jsonOf(first.body), added) } }
        : { ...first, query: { ...first.query, ...added } };
    const response = await sendTo(
      call,
      link === undefined ? description : { ...first, url: link, query: {} },
    );
    const elements = elementsOf(response.body, operation.items);
    found.push(...elements);
    if (isOnly || found.length >= limit || elements.length === 0) break;
    if (page.statement) {
      if (elements.length < page.statement.max) break;
      continue;
    }
    if (page.continue !== undefined) {
      if (!getPath(response.body, page.continue.more)) break;
      const { path, names } = page.continue;
      const body = Object.fromEntries(
        Object.entries(names).map(([name, from]) => [name, getPath(response.body, from)]),
      );
      const next = await describeTemplate(call, { ...operation, path }, scope);
      first = { ...next, query: {}, body: { kind: 'json', value: body } };
      isContinued = true;
      continue;
    }
    if (page.link !== undefined) {
      link = linkOf(response.body, page.link, first.url);
      if (link === undefined) break;
      continue;
    }
    const next = nextPage(page, response, { count, found: found.length, got: elements });
    if (next === undefined) break;
    parameters = next;
  }
  return found.slice(0, limit);
}

/** The statement with the place of the next page. */
function statementOf({ statement }: Paging, query: JsonObject, found: number, left: number): JsonObject {
  if (!statement) return {};
  const { name, max } = statement;
  return {
    [name]: `${String(query[name]).trim()} STARTPOSITION ${found + 1} MAXRESULTS ${Math.min(max, left)}`,
  };
}

/** @throws NodeError for an address at another server, which must not get the credential */
function linkOf(body: unknown, path: string, first: string): string | undefined {
  const link = isObject(body) && path in body ? body[path] : getPath(body, path);
  if (typeof link !== 'string' || link === '') return undefined;
  if (new URL(link, first).origin === new URL(first).origin) return link;
  throw new NodeError('The service names a next page at another server');
}

/** Names may be paths: `variables.after`. */
function withPaths(body: JsonObject, added: JsonObject): JsonObject {
  const merged = { ...body };
  for (const [path, value] of Object.entries(added)) {
    const [name = '', inner] = path.split('.', 2);
    const former = merged[name];
    merged[name] = inner === undefined ? value : { ...(isObject(former) && former), [inner]: value };
  }
  return merged;
}

function jsonOf(body: { kind: string; value?: unknown }): JsonObject {
  return isObject(body.value) ? body.value : {};
}

/** The parameters of the next page. Undefined: it was the last one. */
function nextPage(
  page: Paging,
  { body }: ReceivedResponse,
  so: { count: number; found: number; got: unknown[] },
): JsonObject | undefined {
  if (page.cursor) {
    const { more } = page.cursor;
    if (more !== undefined && getPath(body, more) !== true) return undefined;
    const value = getPath(body, page.cursor.from);
    return value ? { [page.cursor.name]: value } : undefined;
  }
  if (page.more !== undefined && !getPath(body, page.more)) return undefined;
  if (page.size && so.got.length < page.size.max) return undefined;
  if (page.last) return { [page.last.name]: getPath(so.got.at(-1), page.last.from) };
  if (page.number !== undefined) return { [page.number]: so.count + (page.firstNumber ?? 1) };
  return page.offset === undefined ? undefined : { [page.offset]: so.found };
}
