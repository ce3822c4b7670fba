/** The parts of a form, as fields of the body and files of the item. */

import type { Binary } from '#core/workflow-format';
import type { BinaryData } from '../../node-api/node-context.ts';
import type { BodyLimits } from '../../settings/webhook-settings.ts';
import { joined } from './chunks.ts';
import { BodyTooLarge } from './errors.ts';
import type { ReadBody } from './item-body.ts';
import { MultipartError, readMultipart } from './multipart.ts';

export interface FormParts {
  /** The name of files in the item, as set; undefined: their fields'. */
  fileProperty: string | undefined;
  limits: BodyLimits;
  files(): Promise<BinaryData>;
}

/** Throws `MultipartError` for what is no form. */
export async function readForm(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  boundary: string | undefined,
  { fileProperty, limits, files }: FormParts,
): Promise<ReadBody> {
  if (!boundary) throw new MultipartError('the content type names no boundary');
  const fields = new Map<string, string | string[]>();
  const found: { field: string; file: Binary }[] = [];
  // Fields lie in memory, as other bodies that are parsed do.
  let left = limits.parsed;
  for await (const { name, fileName, contentType, content } of readMultipart(chunks, boundary)) {
    if (fileName === undefined) {
      const bytes = await joined(bounded(content, left));
      left -= bytes.length;
      addField(fields, name, new TextDecoder().decode(bytes));
    } else if (fileName !== '') {
      const keep = await files();
      const given = { fileName, ...(contentType && { mimeType: contentType }) };
      found.push({ field: name.replace(/\[\]$/, ''), file: await keep.receive(content, given) });
    }
  }
  return { body: Object.fromEntries(fields), binary: named(found, fileProperty) };
}

function addField(fields: Map<string, string | string[]>, name: string, value: string): void {
  const known = fields.get(name);
  if (known === undefined) fields.set(name, value);
  else if (Array.isArray(known)) known.push(value);
  else fields.set(name, [known, value]);
}

/** By their field, numbered where a field has several; by a name that was set, numbered all through. */
function named(
  found: { field: string; file: Binary }[],
  property: string | undefined,
): Record<string, Binary> {
  if (property) return Object.fromEntries(found.map(({ file }, index) => [`${property}${index}`, file]));
  const counts = new Map<string, number>();
  return Object.fromEntries(
    found.map(({ field, file }) => {
      const several = found.filter((other) => other.field === field).length > 1;
      const number = counts.get(field) ?? 0;
      counts.set(field, number + 1);
      return [several ? `${field}${number}` : field, file];
    }),
  );
}

async function* bounded(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>, limit: number) {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > limit) throw new BodyTooLarge(limit, 'form');
    yield piece;
  }
}
