/** Multipart forms: fields become the body, files become binary data of the item. */
import type { Binary } from '#core/workflow-format';
import { bodyChunks, joinChunks } from './body-chunks.ts';
import { BodyTooLarge, BodyUnreadable } from './body-errors.ts';
import { MultipartError } from './byte-scanner.ts';
import type { ItemBody, RequestBodySource } from './item-body.ts';
import { readMultipart } from './multipart.ts';

interface FormFile {
  field: string;
  file: Binary;
}

/** @throws BodyUnreadable, BodyTooLarge, or the reason of the request's signal */
export async function readFormData(source: RequestBodySource): Promise<ItemBody> {
  try {
    return await readParts(source);
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    throw new BodyUnreadable(error.message, 400, 'The submitted form data could not be parsed.');
  }
}

async function readParts({
  request,
  contentType,
  fileProperty,
  limits,
  files,
}: RequestBodySource): Promise<ItemBody> {
  const { boundary } = contentType.parameters;
  if (!boundary) throw new MultipartError('the content type names no boundary');
  const fields = new Map<string, string | string[]>();
  const formFiles: FormFile[] = [];
  // Fields are held in memory, so the limit of parsed bodies applies to all of them together.
  let left = limits.parsed;
  const parts = readMultipart(bodyChunks(request, limits.files, 'form'), boundary);
  for await (const { name, fileName, contentType: mimeType, content } of parts) {
    if (fileName === undefined) {
      const bytes = await joinChunks(limited(content, left));
      left -= bytes.length;
      addField(fields, name, new TextDecoder().decode(bytes));
    } else if (fileName !== '') {
      const store = await files();
      const file = await store.receive(content, { fileName, ...(mimeType && { mimeType }) });
      formFiles.push({ field: name.replace(/\[\]$/, ''), file });
    }
  }
  return { body: Object.fromEntries(fields), binary: nameFiles(formFiles, fileProperty) };
}

/** A repeated field becomes a list. */
function addField(fields: Map<string, string | string[]>, name: string, value: string): void {
  const earlier = fields.get(name);
  if (earlier === undefined) fields.set(name, value);
  else if (Array.isArray(earlier)) earlier.push(value);
  else fields.set(name, [earlier, value]);
}

/** Names files by the option, all numbered; otherwise by field, numbered only where a field has several files. */
function nameFiles(files: FormFile[], property: string): Record<string, Binary> {
  if (property) return Object.fromEntries(files.map(({ file }, index) => [`${property}${index}`, file]));
  const counts = new Map<string, number>();
  return Object.fromEntries(
    files.map(({ field, file }) => {
      const isRepeated = files.filter((other) => other.field === field).length > 1;
      const number = counts.get(field) ?? 0;
      counts.set(field, number + 1);
      return [isRepeated ? `${field}${number}` : field, file];
    }),
  );
}

async function* limited(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>, limit: number) {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new BodyTooLarge(limit, 'form');
    yield chunk;
  }
}
