import { chatStrings } from '../strings/chat.ts';
import type { DocumentText } from './conversation.ts';

/** Bytes of a file that becomes part of a prompt. More would exceed the context of every model. */
const MAX_BYTES = 20_000_000;

/** Endings of text files that browsers give no text type. */
const TEXT_ENDING =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|xml|html?|css|ya?ml|toml|ini|log|tex|sql|sh|ps1|[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|lua|r)$/i;

const isPdf = ({ name, type }: File) => type === 'application/pdf' || /\.pdf$/i.test(name);

/** Whether the file can be attached as a document. */
export function isDocument(file: File): boolean {
  return isPdf(file) || file.type.startsWith('text/') || TEXT_ENDING.test(file.name);
}

/** The text of a file. Rejects with a message for the user. */
export async function readDocument(file: File): Promise<DocumentText> {
  const { name } = file;
  if (!isDocument(file)) throw new Error(chatStrings.notReadable(name));
  if (file.size > MAX_BYTES) throw new Error(chatStrings.documentTooLarge(name));
  const text = isPdf(file) ? await pdfText(file) : await file.text();
  if (text.includes('\0')) throw new Error(chatStrings.notReadable(name));
  if (text.trim() === '') throw new Error(chatStrings.noText(name));
  return { name, text: text.trim() };
}

/** The library is large: it is loaded with the first PDF file. */
async function pdfText(file: File): Promise<string> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    const document = await getDocumentProxy(new Uint8Array(await file.arrayBuffer()), { verbosity: 0 });
    const { text } = await extractText(document, { mergePages: true });
    return text;
  } catch (cause) {
    throw new Error(chatStrings.pdfProblem(file.name, (cause as Error).message), { cause });
  }
}
