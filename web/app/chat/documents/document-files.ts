import { chatStrings } from '../../strings/chat.ts';
import type { DocumentText } from '../conversation.ts';
import { docxText } from './docx.ts';

/** Bytes of a file. More would exceed the context of every model, and take long to search. */
const MAX_BYTES = 20_000_000;

/** Endings of text files that browsers give no text type. */
const TEXT_ENDING =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|xml|html?|css|ya?ml|toml|ini|log|tex|sql|sh|ps1|[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|lua|r)$/i;

const isPdf = ({ name, type }: File) => type === 'application/pdf' || /\.pdf$/i.test(name);
const isWord = ({ name, type }: File) =>
  /wordprocessingml\.(document|template)/.test(type) || /\.do[ct]x$/i.test(name);

/** Whether the file can be attached as a document. */
export function isDocument(file: File): boolean {
  return isPdf(file) || isWord(file) || file.type.startsWith('text/') || TEXT_ENDING.test(file.name);
}

/** The text of a file. Rejects with a message for the user. */
export async function readDocument(file: File): Promise<DocumentText> {
  const { name } = file;
  if (!isDocument(file)) throw new Error(chatStrings.notReadable(name));
  if (file.size > MAX_BYTES) throw new Error(chatStrings.documentTooLarge(name));
  const text = await textOf(file).catch((cause: Error) => {
    throw new Error(chatStrings.documentProblem(name, cause.message), { cause });
  });
  if (text.includes('\0')) throw new Error(chatStrings.notReadable(name));
  if (text.trim() === '') throw new Error(chatStrings.noText(name));
  return { name, text: text.trim() };
}

/** The reader of PDF files is large: it is loaded with the first one. */
async function textOf(file: File): Promise<string> {
  if (isWord(file)) return docxText(new Uint8Array(await file.arrayBuffer()));
  if (!isPdf(file)) return file.text();
  const { extractText, getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(await file.arrayBuffer()), { verbosity: 0 });
  return (await extractText(document, { mergePages: true })).text;
}
