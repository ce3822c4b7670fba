import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { tinyPdf } from '#test/support/webhooks/tiny-pdf.ts';
import { readDocument } from './document-files.ts';

it('reads text files, by type or by ending', async () => {
  expect(await readDocument(new File(['  hello\n'], 'notes', { type: 'text/plain' }))).toEqual({
    name: 'notes',
    text: 'hello',
  });
  expect((await readDocument(new File(['let a = 1;'], 'a.ts'))).text).toBe('let a = 1;');
});

it('reads the text of a PDF file', async () => {
  const { text } = await readDocument(new File([tinyPdf('The sea is blue.')], 'sea.pdf'));
  expect(text).toContain('The sea is blue.');
});

it.each([
  [new File(['x'], 'a.zip', { type: 'application/zip' }), 'a.zip is not a text, PDF'],
  [new File(['a\0b'], 'a.txt'), 'a.txt is not a text, PDF'],
  [new File([' '], 'a.txt'), 'contains no text'],
  [new File(['%PDF-1.4 broken'], 'a.pdf'), 'a.pdf could not be read'],
  [new File(['PK'], 'a.docx'), 'a.docx could not be read: invalid zip data'],
  [new File([zipSync({ 'xl/workbook.xml': new Uint8Array(1) })], 'a.docx'), 'it has no word/document.xml'],
])('says what is wrong with a file', (file, message) => expect(readDocument(file)).rejects.toThrow(message));
