import { describe, expect, it } from 'vitest';
import { tinyPdf } from '#test/support/webhooks/tiny-pdf.ts';
import { PdfError, type PdfReading, readPdf } from './pdf.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (bytes: Uint8Array<ArrayBuffer>, options: Partial<PdfReading> = {}) =>
  readPdf(bytes, { joined: true, ...options }, new AbortController().signal);

describe('readPdf', () => {
  it('joins the pages by an empty line', async () => {
    const bytes = bytesOf(tinyPdf('Page one', 'Page two'));
    expect(await read(bytes)).toEqual({
      numpages: 2,
      numrender: 2,
      info: expect.objectContaining({ Title: 'Report' }),
      text: 'Page one\nend\n\nPage two\nend',
      version: expect.stringMatching(/^\d+\./),
    });
    expect(bytes.length).toBeGreaterThan(0);
  });

  it('returns the pages as a list and stops at the last one that it may read', async () => {
    const bytes = bytesOf(tinyPdf('one', 'two', 'three'));
    expect(await read(bytes, { joined: false, pages: 2 })).toMatchObject({
      numpages: 3,
      numrender: 2,
      text: ['one\nend', 'two\nend'],
    });
  });

  it('reads all pages when fewer exist than it may read', async () => {
    expect(await read(bytesOf(tinyPdf('one')), { pages: 5 })).toMatchObject({ numpages: 1, numrender: 1 });
  });

  it('refuses other files', async () => {
    const reading = read(bytesOf('hello'));
    await expect(reading).rejects.toThrow(PdfError);
    await expect(reading).rejects.toThrow(/^The PDF cannot be read: /);
  });

  it('rejects with the reason of the signal', async () => {
    const reason = new Error('stop');
    const bytes = bytesOf(tinyPdf('one'));
    await expect(readPdf(bytes, { joined: true }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
