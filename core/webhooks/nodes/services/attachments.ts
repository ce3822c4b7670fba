/** Downloads the files that belong to an element of an answer. */
import { isObject } from '#core/base';
import { decodeLooseBase64 } from '#core/http';
import { type Binary, getPath, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { Attachments } from './description.ts';
import { allHold, fill } from './fill.ts';
import { scopeOf } from './scope.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';

/**
 * @param values what templates read besides parameters, with the element as `found`
 * @returns undefined if the node does not download files, or the element has none
 * @throws NodeError for an answer with an error
 */
export async function downloadAttachments(
  call: ServiceCall,
  attachments: Attachments,
  values: JsonObject,
): Promise<Record<string, Binary> | undefined> {
  const { when, ask, list, property, prefix } = attachments;
  const scope = scopeOf(call, values);
  if (!(await allHold(when, scope))) return undefined;
  const answer = ask && (await sendTo(call, await describeTemplate(call, ask, scope))).body;
  const listed = await fill(list, scopeOf(call, { ...values, answer }));
  const files = Array.isArray(listed) ? listed.filter(isObject) : [];
  const name = String((await fill(prefix, scope)) ?? 'attachment_');
  const binary: Record<string, Binary> = {};
  for (const [index, file] of files.entries())
    binary[property ?? name + index] = await downloadOne(call, attachments, { ...values, file });
  return files.length > 0 ? binary : undefined;
}

async function downloadOne(
  call: ServiceCall,
  { locate, request, base64, fileName }: Attachments,
  values: JsonObject,
): Promise<Binary> {
  const answer =
    locate && (await sendTo(call, await describeTemplate(call, locate, scopeOf(call, values)))).body;
  const scope = scopeOf(call, { ...values, answer });
  const description = await describeTemplate(call, request, scope);
  const bytes =
    base64 === undefined
      ? (await sendTo(call, description, 'file')).bytes
      : decodeLooseBase64(String(getPath((await sendTo(call, description)).body, base64) ?? ''));
  if (!bytes) throw new NodeError('The service answered without a file');
  const mimeType = await scope.get('file.mimeType');
  return call.context.binary.prepare(bytes, {
    fileName: String((await fill(fileName ?? '$file.fileName', scope)) ?? 'file'),
    ...(mimeType !== undefined && { mimeType: String(mimeType) }),
  });
}
