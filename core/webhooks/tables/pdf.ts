/** Reads the text of PDF files. The library is large: it is loaded with the first file. */
import type { JsonObject } from '#core/workflow-format';

export class PdfError extends Error {
  override name = 'PdfError';
}

export interface PdfReading {
  password?: string;
  /** The largest number of pages to read. Default: all. */
  pages?: number;
  /** Whether all pages become one text. Otherwise each page is an element of a list. */
  joined: boolean;
}

/** Text and properties of a document. Rejects with `PdfError`, or with the signal's reason. */
export async function readPdf(
  bytes: Uint8Array<ArrayBuffer>,
  { password, pages, joined }: PdfReading,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { getDocumentProxy, getResolvedPDFJS } = await import('unpdf');
  const { version } = await getResolvedPDFJS();
  // A copy: the library may transfer the bytes to a worker.
  const document = await getDocumentProxy(bytes.slice(), {
    ...(password && { password }),
    stopAtErrors: false,
    verbosity: 0,
  }).catch((cause: unknown) => {
    throw pdfError(cause, password);
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
    throw pdfError(error, password);
  } finally {
    await document.destroy();
  }
}

function pdfError(cause: unknown, password: string | undefined): PdfError {
  const { name, message } = cause as Error;
  if (name !== 'PasswordException') return new PdfError(`The PDF cannot be read: ${message}`, { cause });
  return new PdfError(
    password ? 'The password does not open the PDF' : 'The PDF is locked: set the option Password',
    { cause },
  );
}
