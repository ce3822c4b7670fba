/** Forms with files, read part by part as they come in: no more than one piece of a file is held at a time. */
import { readContentType, readParameters } from './content-type.ts';

export interface Part {
  name: string;
  /** Undefined: a field of the form; empty: a file input that was left blank. */
  fileName: string | undefined;
  contentType: string;
  /** To be read to its end before the next part is asked for; what is left is skipped. */
  content: AsyncGenerator<Uint8Array<ArrayBuffer>>;
}

export class MultipartError extends Error {
  override name = 'MultipartError';
}

/** Bytes of one part's header. */
const LONGEST_HEADER = 16 * 1024;
const MOST_PARTS = 1000;

/** Throws `MultipartError` for what is no form or ends too early. */
export async function* readMultipart(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  boundary: string,
): AsyncGenerator<Part> {
  const input = new Scanner(chunks[Symbol.asyncIterator]());
  const encoder = new TextEncoder();
  const first = encoder.encode(`--${boundary}`);
  const between = encoder.encode(`\r\n--${boundary}`);
  await drain(input.until(first));
  for (let parts = 0; ; parts++) {
    const mark = decode(await input.take(2));
    if (mark === '--') return;
    if (mark !== '\r\n') throw new MultipartError('a boundary is not followed by a line break');
    if (parts === MOST_PARTS) throw new MultipartError(`more than ${MOST_PARTS} parts`);
    const content = input.until(between);
    yield { ...(await readHeader(input)), content };
    await drain(content);
  }
}

async function readHeader(input: Scanner): Promise<Omit<Part, 'content'>> {
  let text = '';
  // The blank line alone: a part without headers.
  if (decode(await input.peek(2)) === '\r\n') await input.take(2);
  else {
    for await (const piece of input.until(new TextEncoder().encode('\r\n\r\n'))) {
      text += decode(piece);
      if (text.length > LONGEST_HEADER) throw new MultipartError('the header of a part is too long');
    }
  }
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = headers.get('content-disposition') ?? '';
  const { name, filename, 'filename*': extended } = readParameters(disposition);
  if (!/^form-data\b/i.test(disposition) || name === undefined) {
    throw new MultipartError('a part has no name');
  }
  const contentType = headers.get('content-type') ?? '';
  return {
    name,
    fileName: baseName(decodeExtended(extended) ?? filename),
    contentType: readContentType(contentType).type,
  };
}

/** `UTF-8''na%C3%AFve.txt` */
function decodeExtended(text: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(text ?? '')?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Without folders: a name is no path. */
export function baseName(name: string | undefined): string | undefined {
  return name?.replace(/^.*[/\\]/, '');
}

const decode = (bytes: Uint8Array<ArrayBuffer>) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

async function drain(pieces: AsyncGenerator<Uint8Array>): Promise<void> {
  for await (const _piece of pieces);
}

/** Bytes that came, and no more of them than needed. */
class Scanner {
  #held: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(private readonly source: AsyncIterator<Uint8Array<ArrayBuffer>>) {}

  async peek(length: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#held.length < length) await this.#more();
    return this.#held.subarray(0, length);
  }

  async take(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const taken = await this.peek(length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** What stands before `mark`, which is taken too. */
  async *until(mark: Uint8Array): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (;;) {
      const at = indexOf(this.#held, mark);
      if (at >= 0) {
        const piece = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + mark.length);
        if (piece.length > 0) yield piece;
        return;
      }
      // The end could be the beginning of the mark.
      const safe = this.#held.length - mark.length + 1;
      if (safe > 0) {
        const piece = this.#held.subarray(0, safe);
        this.#held = this.#held.subarray(safe);
        yield piece;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.source.next();
    if (done) throw new MultipartError('the form ends too early');
    const joined = new Uint8Array(this.#held.length + value.length);
    joined.set(this.#held);
    joined.set(value, this.#held.length);
    this.#held = joined;
  }
}

function indexOf(bytes: Uint8Array, mark: Uint8Array): number {
  const last = bytes.length - mark.length;
  const first = mark[0]!;
  for (let at = bytes.indexOf(first); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let length = 1;
    while (length < mark.length && bytes[at + length] === mark[length]) length++;
    if (length === mark.length) return at;
  }
  return -1;
}
