/** The text of PDF files. The library is large, so it is loaded with the first of them. */
import type { JsonObject } from '#core/workflow-format';

export class PdfError extends Error {
  override name = 'PdfError';
}

export interface PdfReading {
  password?: string;
  /** Pages read at most; undefined = all. */
  pages?: number;
  /** All pages as one text; otherwise a list. */
  joined: boolean;
}

/** Throws `PdfError`, or the signal's reason. */
export async function readPdf(
  bytes: Uint8Array<ArrayBuffer>,
  { password, pages, joined }: PdfReading,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { getDocumentProxy, getResolvedPDFJS } = await import('unpdf');
  const { version } = await getResolvedPDFJS();
  // The library keeps what it is given, and may hand it on.
  const document = await getDocumentProxy(bytes.slice(), {
    ...(password && { password }),
    stopAtErrors: false,
    verbosity: 0,
  }).catch((cause: unknown) => {
    throw problemOf(cause, password);
  });
  try {
    const count = Math.min(document.numPages, pages ?? document.numPages);
    const texts: string[] = [];
    for (let number = 1; number <= count; number++) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      texts.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''));
      page.cleanup();
    }
    const { info } = await document.getMetadata();
    return {
      numpages: document.numPages,
      numrender: count,
      info: JSON.parse(JSON.stringify(info)) as JsonObject,
      text: joined ? texts.join('\n\n') : texts,
      version,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw problemOf(error, password);
  } finally {
    await document.destroy();
  }
}

function problemOf(cause: unknown, password: string | undefined): PdfError {
  const { name, message } = cause as Error;
  if (name !== 'PasswordException') return new PdfError(`The PDF cannot be read: ${message}`, { cause });
  return new PdfError(
    password ? 'The password does not open the PDF' : 'The PDF is locked: set the option Password',
    { cause },
  );
}
