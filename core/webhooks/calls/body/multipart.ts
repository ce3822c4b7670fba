/** Parses multipart forms while they arrive: at most one chunk of a file is held in memory. */
import { decodePercent } from '#core/base';
import { ByteScanner, MultipartError } from './byte-scanner.ts';
import { readContentType, readParameters, withoutFolders } from './content-type.ts';

interface FormPart {
  name: string;
  /** Undefined: a field of the form. Empty: a file input without a file. */
  fileName: string | undefined;
  contentType: string;
  /** Must be read before the next part is requested: unread bytes are skipped. */
  content: AsyncGenerator<Uint8Array<ArrayBuffer>>;
}

/** Bytes of one part's header. */
const MAX_HEADER = 16 * 1024;
const MAX_PARTS = 1000;

/** @throws MultipartError for a body that is no form or ends too early */
export async function* readMultipart(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  boundary: string,
): AsyncGenerator<FormPart> {
  const scanner = new ByteScanner(chunks[Symbol.asyncIterator]());
  const encoder = new TextEncoder();
  const first = encoder.encode(`--${boundary}`);
  const between = encoder.encode(`\r\n--${boundary}`);
  await drain(scanner.until(first));
  for (let parts = 0; ; parts++) {
    const mark = decode(await scanner.take(2));
    if (mark === '--') return;
    if (mark !== '\r\n') throw new MultipartError('a boundary is not followed by a line break');
    if (parts === MAX_PARTS) throw new MultipartError(`more than ${MAX_PARTS} parts`);
    const content = scanner.until(between);
    yield { ...(await readHeader(scanner)), content };
    await drain(content);
  }
}

async function readHeader(scanner: ByteScanner): Promise<Omit<FormPart, 'content'>> {
  const headers = parseHeaders(await readHeaderText(scanner));
  const disposition = headers.get('content-disposition') ?? '';
  const { name, filename, 'filename*': extended } = readParameters(disposition);
  if (!/^form-data\b/i.test(disposition) || name === undefined) {
    throw new MultipartError('a part has no name');
  }
  const contentType = headers.get('content-type') ?? '';
  return {
    name,
    fileName: withoutFolders(decodeExtended(extended) ?? filename),
    contentType: readContentType(contentType).type,
  };
}

async function readHeaderText(scanner: ByteScanner): Promise<string> {
  // A part without headers begins with the blank line.
  if (decode(await scanner.peek(2)) === '\r\n') {
    await scanner.take(2);
    return '';
  }
  let text = '';
  for await (const chunk of scanner.until(new TextEncoder().encode('\r\n\r\n'))) {
    text += decode(chunk);
    if (text.length > MAX_HEADER) throw new MultipartError('the header of a part is too long');
  }
  return text;
}

/** Reads the headers of a part. Their names become lower case. */
function parseHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

/** Decodes the form of RFC 5987: `UTF-8''na%C3%AFve.txt`. */
function decodeExtended(text: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(text ?? '')?.[1];
  return encoded === undefined ? undefined : decodePercent(encoded);
}

const decode = (bytes: Uint8Array<ArrayBuffer>) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

async function drain(chunks: AsyncGenerator<Uint8Array>): Promise<void> {
  for await (const _chunk of chunks);
}
