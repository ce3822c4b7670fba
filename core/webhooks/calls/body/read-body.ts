/** A request's body as the item holds it: a value, or files. */
import { encodeBase64 } from '#core/http';
import type { Binary } from '#core/workflow-format';
import type { BinaryData } from '../../node-api/node-context.ts';
import type { BodyLimits } from '../../settings/webhook-settings.ts';
import { bodyChunks, joined } from './chunks.ts';
import { kindOf, readContentType, readParameters } from './content-type.ts';
import { BodyUnreadable } from './errors.ts';
import { readForm } from './form.ts';
import type { ReadBody } from './item-body.ts';
import { baseName, MultipartError } from './multipart.ts';
import { decodeText, parseText } from './parse-text.ts';

export interface BodyOptions {
  /** Of the node. */
  version: number;
  /** The body as it came, beside the parsed one. */
  raw: boolean;
  /** Version 1: only the body as it came. */
  asFile: boolean;
  /** As set; undefined where it is not. */
  fileProperty: string | undefined;
}

export interface BodyParts {
  limits: BodyLimits;
  /** Asked for only when there is a file to keep. */
  files(): Promise<BinaryData>;
}

/** Throws `BodyUnreadable` and `BodyTooLarge`, and the signal's reason when the client leaves. */
export async function readBody(
  request: Request,
  options: BodyOptions,
  { limits, files }: BodyParts,
): Promise<ReadBody> {
  const { version, raw, fileProperty } = options;
  const asFile = version < 1.1 && options.asFile;
  const { type, parameters } = readContentType(request.headers.get('content-type'));
  const kind = asFile ? 'file' : kindOf(type);
  const property = fileProperty ?? 'data';
  if (kind === 'multipart') {
    const chunks = bodyChunks(request, limits.files, 'form');
    return asForm(() => readForm(chunks, parameters.boundary, { fileProperty, limits, files }));
  }
  if (kind === 'file' && !raw && (asFile || version >= 1.1)) {
    const file = await keptFile(bodyChunks(request, limits.files), request.headers, type, files);
    return { body: {}, binary: file ? { [property]: file } : {} };
  }
  const bytes = await joined(bodyChunks(request, limits.parsed));
  const binary = raw ? { [property]: rawFile(bytes, type) } : {};
  // What nobody can read is no body, nor is nothing where all of it is kept anyway.
  if (kind === 'file' || (raw && bytes.length === 0)) return { body: undefined, binary };
  return { body: parseText(kind, decodeText(bytes, parameters.charset)), binary };
}

async function asForm(read: () => Promise<ReadBody>): Promise<ReadBody> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    throw new BodyUnreadable(error.message, 400, 'The submitted form data could not be parsed.');
  }
}

/** Kept whatever comes of the run: base64 in the item itself. */
function rawFile(bytes: Uint8Array<ArrayBuffer>, type: string): Binary {
  return { data: encodeBase64(bytes), mimeType: type || 'application/json' };
}

async function keptFile(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  headers: Headers,
  type: string,
  files: () => Promise<BinaryData>,
): Promise<Binary | undefined> {
  const first = await chunks.next();
  if (first.done) return undefined;
  const { filename } = readParameters(headers.get('content-disposition') ?? '');
  const keep = await files();
  return keep.receive(startingWith(first.value, chunks), {
    fileName: baseName(filename) || crypto.randomUUID(),
    mimeType: type || 'application/octet-stream',
  });
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
