/** Runs one operation of a service for one item. */
import { isObject } from '#core/base';
import { getPath, type Item, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { describeFile, type ReceivedResponse } from '../network/http-request/response.ts';
import { downloadAttachments } from './attachments.ts';
import type { Operation, Paging } from './description.ts';
import { allHold, fill, type Scope } from './fill.ts';
import { scopeOf } from './scope.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';

/** Pages of one operation. A service that always names a next page must not keep a workflow busy. */
const MAX_PAGES = 1000;

/** @throws NodeError for an answer with an error */
export async function runOperation(call: ServiceCall, chosen: Operation): Promise<Item[]> {
  const values: JsonObject = { credential: call.credential, item: call.item.json, step: {} };
  const scope = scopeOf(call, values);
  const operation = await chosenVariant(chosen, scope);
  for (const [name, step] of Object.entries(operation.steps ?? {})) {
    const { body } = await sendTo(call, await describeTemplate(call, step, scope));
    (values.step as JsonObject)[name] = body;
  }
  if (operation.download) return [await downloaded(call, operation, scope)];
  const items: Item[] = [];
  for (const element of await findElements(call, operation, scope)) {
    call.context.signal.throwIfAborted();
    items.push(await outputOf(call, operation, await detailOf(call, operation, element, values), values));
  }
  return items;
}

/** The elements of the answer, of all pages. */
export async function findElements(
  call: ServiceCall,
  operation: Operation,
  scope: Scope,
): Promise<unknown[]> {
  if (operation.page) return pages(call, operation, operation.page, scope);
  const { body } = await sendTo(call, await describeTemplate(call, operation, scope));
  return elementsOf(body, operation.items);
}

/** A found element, or the answer that describes it in detail. */
export async function detailOf(
  call: ServiceCall,
  { detail }: Operation,
  found: unknown,
  values: JsonObject,
): Promise<unknown> {
  const scope = scopeOf(call, { ...values, found });
  if (detail === undefined || !(await allHold(detail.when, scope))) return found;
  return (await sendTo(call, await describeTemplate(call, detail, scope))).body;
}

/** The item of a found element. */
export async function outputOf(
  call: ServiceCall,
  { output, attachments }: Operation,
  found: unknown,
  values: JsonObject,
): Promise<Item> {
  const scope = scopeOf(call, { ...values, found });
  const json = output === undefined ? found : await fill(output, scope);
  const binary = attachments && (await downloadAttachments(call, attachments, { ...values, found }));
  return {
    json: isObject(json) ? json : json === undefined || json === '' ? { success: true } : { data: json },
    ...(binary && { binary }),
  };
}

/** The operation with the parts of the first variant whose conditions hold. */
export async function chosenVariant<T extends Operation>(operation: T, scope: Scope): Promise<T> {
  for (const { when, ...parts } of operation.variants ?? []) {
    if (await allHold(when, scope)) return { ...operation, ...parts };
  }
  return operation;
}

/** The elements of a list, or one value as a list. */
function elementsOf(body: unknown, path: string | undefined): unknown[] {
  const value = path === undefined ? body : getPath(body, path);
  if (Array.isArray(value)) return value;
  return value === undefined && path !== undefined ? [] : [value];
}

async function pages(
  call: ServiceCall,
  operation: Operation,
  page: Paging,
  scope: Scope,
): Promise<unknown[]> {
  const { context, index } = call;
  const returnAll = page.all === true || (await context.parameter('returnAll', index, false)) === true;
  const limit = returnAll ? Number.POSITIVE_INFINITY : Number(await context.parameter('limit', index, 50));
  const first = await describeTemplate(call, operation, scope);
  const found: unknown[] = [];
  let parameters: JsonObject = page.number === undefined ? {} : { [page.number]: 1 };
  for (let count = 1; count <= MAX_PAGES; count++) {
    const size = page.size && { [page.size.name]: Math.min(page.size.max, limit - found.length) };
    const added: JsonObject = { ...size, ...parameters };
    const description =
      page.in === 'body'
        ? { ...first, body: { kind: 'json' as const, value: { ...jsonOf(first.body), ...added } } }
        : { ...first, query: { ...first.query, ...added } };
    const response = await sendTo(call, description);
    const elements = elementsOf(response.body, operation.items);
    found.push(...elements);
    if (found.length >= limit || elements.length === 0) break;
    const next = nextPage(page, response, { count, found: found.length, got: elements });
    if (next === undefined) break;
    parameters = next;
  }
  return found.slice(0, limit);
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
  if (page.size && so.got.length < page.size.max) return undefined;
  if (page.last) return { [page.last.name]: getPath(so.got.at(-1), page.last.from) };
  if (page.number !== undefined) return { [page.number]: so.count + 1 };
  return page.offset === undefined ? undefined : { [page.offset]: so.found };
}

async function downloaded(call: ServiceCall, operation: Operation, scope: Scope): Promise<Item> {
  const description = await describeTemplate(call, operation, scope);
  const { bytes, headers } = await sendTo(call, description, 'file');
  if (!bytes) throw new NodeError('The service answered without a file');
  const described = describeFile(headers, description.url);
  const { property, fileName } = operation.download!;
  const name = fileName === undefined ? undefined : await fill(fileName, scope);
  const file = await call.context.binary.prepare(bytes, {
    ...described,
    ...(name !== undefined && { fileName: String(name) }),
  });
  const key = String((await fill(property, scope)) ?? 'data');
  return { json: call.item.json, binary: { ...call.item.binary, [key]: file } };
}
