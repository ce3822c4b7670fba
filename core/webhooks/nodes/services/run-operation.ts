/** Runs one operation of a service for one item. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { NO_AUTHENTICATION } from '../network/http-request/authentication.ts';
import { describeFile } from '../network/http-request/response.ts';
import { downloadAttachments } from './attachments.ts';
import type { Operation, RequestTemplate } from './description.ts';
import { allHold, fill, type Scope } from './fill.ts';
import { elementsOf, pages } from './pages.ts';
import { scopeOf } from './scope.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';

/**
 * @param more values that templates read besides the usual ones
 * @throws NodeError for an answer with an error
 */
export async function runOperation(
  call: ServiceCall,
  chosen: Operation,
  more: JsonObject = {},
): Promise<Item[]> {
  const values: JsonObject = {
    ...more,
    credential: call.credential,
    item: call.item.json,
    ...(chosen.once && { items: call.context.items().map(({ json }) => json) }),
    step: { ...(await answersBefore(call)) },
    nodeVersion: call.context.version,
  };
  const scope = scopeOf(call, values);
  const operation = await chosenVariant(chosen, scope);
  if (operation.gather !== undefined) values.gathered = await gathered(call, operation.gather, values);
  for (const [name, { needs, ...step }] of Object.entries(operation.steps ?? {})) {
    if (needs === undefined || (await fill(needs, scope)) !== undefined)
      (values.step as JsonObject)[name] = await ask(call, step, scope);
  }
  if (operation.steps && operation.path === undefined) return [await outputOf(call, operation, {}, values)];
  if (operation.download) return [await downloaded(call, operation, scope)];
  const items: Item[] = [];
  for (const [position, element] of (await findElements(call, operation, scope)).entries()) {
    call.context.signal.throwIfAborted();
    const found = await detailOf(call, operation, element, values);
    if (await isKept(call, operation, found, values))
      items.push(await outputOf(call, operation, found, { ...values, position }));
  }
  return items;
}

/** A template that is filled with the parameters of each item. */
async function gathered(call: ServiceCall, template: unknown, values: JsonObject): Promise<unknown[]> {
  const list: unknown[] = [];
  for (const [index, item] of call.context.items().entries())
    list.push(await fill(template, scopeOf({ ...call, index, item }, { ...values, item: item.json })));
  return list;
}

/** The answers to the requests of the service that come before all others. They are sent once. */
export function answersBefore(call: ServiceCall): Promise<JsonObject> {
  call.shared.before ??= sendBefore(call);
  return call.shared.before;
}

async function sendBefore(call: ServiceCall): Promise<JsonObject> {
  const step: JsonObject = {};
  const scope = scopeOf(call, { credential: call.credential, step });
  for (const [name, { when, ...template }] of Object.entries(call.service.before ?? {}))
    if (await allHold(when, scope)) step[name] = await ask(call, template, scope);
  return step;
}

/** Whether a found element becomes an item. */
export async function isKept(
  call: ServiceCall,
  { keep }: Operation,
  found: unknown,
  values: JsonObject,
): Promise<boolean> {
  return keep === undefined || Boolean(await fill(keep, scopeOf(call, { ...values, found })));
}

/** The elements of the answer, of all pages. */
export async function findElements(
  call: ServiceCall,
  operation: Operation,
  scope: Scope,
): Promise<unknown[]> {
  if (operation.page) return pages(call, operation, operation.page, scope);
  return elementsOf(await ask(call, operation, scope), operation.items);
}

/** Sends a request. @returns the answer @throws NodeError for an answer with an error */
export async function ask(call: ServiceCall, template: RequestTemplate, scope: Scope): Promise<unknown> {
  const { body, headers } = await sendTo(call, await describeTemplate(call, template, scope));
  if (!template.answerHeaders) return body;
  const named = Object.entries(template.answerHeaders).map(([name, header]) => [name, headers[header]]);
  return Object.fromEntries(named);
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
  return ask(call, detail, scope);
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

async function downloaded(call: ServiceCall, operation: Operation, scope: Scope): Promise<Item> {
  const description = await describeTemplate(call, operation, scope);
  const sender = operation.isUnsigned ? { ...call, authentication: NO_AUTHENTICATION } : call;
  const { bytes, headers } = await sendTo(sender, description, 'file');
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
