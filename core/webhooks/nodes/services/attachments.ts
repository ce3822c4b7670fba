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
  { when, ask, list, request, base64, prefix }: Attachments,
  values: JsonObject,
): Promise<Record<string, Binary> | undefined> {
  const scope = scopeOf(call, values);
  if (!(await allHold(when, scope))) return undefined;
  const answer = ask && (await sendTo(call, await describeTemplate(call, ask, scope))).body;
  const listed = await fill(list, scopeOf(call, { ...values, answer }));
  const files = Array.isArray(listed) ? listed.filter(isObject) : [];
  const name = String((await fill(prefix, scope)) ?? 'attachment_');
  const binary: Record<string, Binary> = {};
  for (const [index, file] of files.entries()) {
    const description = await describeTemplate(call, request, scopeOf(call, { ...values, file }));
    const bytes =
      base64 === undefined
        ? (await sendTo(call, description, 'file')).bytes
        : decodeLooseBase64(String(getPath((await sendTo(call, description)).body, base64) ?? ''));
    if (!bytes) throw new NodeError('The service answered without a file');
    binary[name + index] = await call.context.binary.prepare(bytes, {
      fileName: String(file.fileName ?? 'file'),
      ...(file.mimeType !== undefined && { mimeType: String(file.mimeType) }),
    });
  }
  return files.length > 0 ? binary : undefined;
}
