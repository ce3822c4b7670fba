/** Readers of bodies that are not forms with files. */
import { encodeBase64 } from '#core/http';
import { bodyChunks, joinChunks } from './body-chunks.ts';
import { readParameters, withoutFolders } from './content-type.ts';
import type { ItemBody, RequestBodySource } from './item-body.ts';
import { type BodyTextKind, decodeBodyText, parseBodyText } from './parse-body-text.ts';

/** Reads a body that is text, and parses it. */
export async function readTextBody(source: RequestBodySource): Promise<ItemBody> {
  const bytes = await joinChunks(bodyChunks(source.request, source.limits.parsed));
  const binary = source.raw ? rawFile(bytes, source) : {};
  // An empty body has no value if all of it is in the file.
  if (source.raw && bytes.length === 0) return { body: undefined, binary };
  const { signal } = source.request;
  const text = await decodeBodyText(bytes, source.contentType.parameters.charset, signal);
  const body = await parseBodyText(source.kind as BodyTextKind, text, { xml: source.xml, signal });
  return { body, binary };
}

/** Stores a body of any type as a file. Version 1 does so only when an option asks for it. */
export async function readFileBody(source: RequestBodySource): Promise<ItemBody> {
  if (source.raw || !(source.storesAll || source.version >= 1.1)) return readUnparsed(source);
  const { request, contentType, fileProperty, limits, files } = source;
  const chunks = bodyChunks(request, limits.files);
  const first = await chunks.next();
  if (first.done) return { body: {}, binary: {} };
  const { filename } = readParameters(request.headers.get('content-disposition') ?? '');
  const store = await files();
  const file = await store.receive(prepend(first.value, chunks), {
    fileName: withoutFolders(filename) || crypto.randomUUID(),
    mimeType: contentType.type || 'application/octet-stream',
  });
  return { body: {}, binary: { [fileProperty || 'data']: file } };
}

/** A body of an unknown type has no value. Only the option "Raw Body" makes it part of the item. */
async function readUnparsed(source: RequestBodySource): Promise<ItemBody> {
  const bytes = await joinChunks(bodyChunks(source.request, source.limits.parsed));
  return { body: undefined, binary: source.raw ? rawFile(bytes, source) : {} };
}

/** The raw body lies in the item itself: it stays even if the execution's files are deleted. */
function rawFile(
  bytes: Uint8Array<ArrayBuffer>,
  { contentType, fileProperty }: RequestBodySource,
): ItemBody['binary'] {
  const mimeType = contentType.type || 'application/json';
  return { [fileProperty || 'data']: { data: encodeBase64(bytes), mimeType } };
}

async function* prepend<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
