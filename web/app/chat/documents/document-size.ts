import type { DocumentText, Turn } from '../conversation.ts';

/** Tokens of context when the server has not loaded the model yet. */
export const USUAL_CONTEXT = 4096;
/** The part of the context that whole documents may fill. */
const MAX_SHARE = 0.5;

const tokens = new WeakMap<DocumentText, number>();

/** About how many tokens a text has: one for four bytes. */
export function estimatedTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

/** Whether the whole documents of a branch leave room for a conversation. */
export function documentsFit(documents: readonly DocumentText[], contextLength: number): boolean {
  let total = 0;
  for (const document of documents) {
    let own = tokens.get(document);
    if (own === undefined) {
      own = estimatedTokens(document.text);
      tokens.set(document, own);
    }
    total += own;
  }
  return total <= contextLength * MAX_SHARE;
}

/** The documents of all messages of a branch. */
export function documentsOf(path: readonly Turn[]): DocumentText[] {
  return path.flatMap(({ documents = [] }) => documents);
}
