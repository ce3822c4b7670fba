/** Reads submitted forms: values and files by the names of the page's elements. */
import type { Binary } from '#core/workflow-format';
import { CallError } from '../../errors.ts';
import type { FormBody } from '../../forms/submission.ts';
import type { BinaryData } from '../../node-api/node-context.ts';
import type { BodyLimits } from '../../settings/webhook-settings.ts';
import { bodyChunks, joinChunks } from '../body/body-chunks.ts';
import { BodyTooLarge, BodyUnreadable } from '../body/body-errors.ts';
import { MultipartError } from '../body/byte-scanner.ts';
import { readContentType } from '../body/content-type.ts';
import { readMultipart } from '../body/multipart.ts';

interface FormBodyParts {
  limits: BodyLimits;
  /** Opens the store for files. */
  files(): Promise<BinaryData>;
}

/** @throws CallError 415 for a body that is no multipart form, BodyUnreadable or BodyTooLarge */
export async function readFormBody(request: Request, { limits, files }: FormBodyParts): Promise<FormBody> {
  const { type, parameters } = readContentType(request.headers.get('content-type'));
  if (type !== 'multipart/form-data') {
    await request.body?.cancel().catch(() => {});
    throw new CallError(415, 'Expected multipart/form-data');
  }
  try {
    return await readParts(request, parameters.boundary, { limits, files });
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    throw new BodyUnreadable(error.message, 400, 'The submitted form data could not be parsed.');
  }
}

async function readParts(
  request: Request,
  boundary: string | undefined,
  { limits, files }: FormBodyParts,
): Promise<FormBody> {
  if (!boundary) throw new MultipartError('the content type names no boundary');
  const body: FormBody = { values: new Map(), files: new Map() };
  // Values are held in memory, so the limit of parsed bodies applies to all of them together.
  let left = limits.parsed;
  for await (const part of readMultipart(bodyChunks(request, limits.files, 'form'), boundary)) {
    const name = part.name.replace(/\[\]$/, '');
    if (part.fileName === undefined) {
      const bytes = await joinChunks(limited(part.content, left));
      left -= bytes.length;
      add(body.values, name, new TextDecoder().decode(bytes));
    } else if (part.fileName !== '') {
      const store = await files();
      const { fileName, contentType: mimeType } = part;
      const file: Binary = await store.receive(part.content, { fileName, ...(mimeType && { mimeType }) });
      add(body.files, name, file);
    }
  }
  return body;
}

function add<T>(map: Map<string, T[]>, name: string, value: T): void {
  const list = map.get(name);
  if (list) list.push(value);
  else map.set(name, [value]);
}

async function* limited(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>, limit: number) {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new BodyTooLarge(limit, 'form');
    yield chunk;
  }
}
