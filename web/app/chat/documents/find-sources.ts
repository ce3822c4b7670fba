/** Finds the passages of documents that fit a question. Loaded with the first documents of a conversation. */
import type { ChatHost } from '../chat-host.ts';
import type { ChatSettings, DocumentText, Source, Turn } from '../conversation.ts';
import { documentsFit, documentsOf, estimatedTokens, USUAL_CONTEXT } from './document-size.ts';
import { type Embed, similarities, vectorsOf } from './document-vectors.ts';
import { passagesOf } from './passages.ts';

const MAX_SOURCES = 8;
/** The part of the context that passages may fill. */
const MAX_SHARE = 0.35;
/** A passage is left out if its similarity is less than this part of the best one. */
const MIN_RELATIVE_SCORE = 0.5;

export interface SourceSearch {
  /** The model that gets the passages. */
  model: string;
  settings: ChatSettings;
  host: Pick<ChatHost, 'api' | 'embeddingModel' | 'contextLength'>;
  signal: AbortSignal;
  /** Called when the search begins, and when more of the documents was searched. `share`: from 0 to 1. */
  searching(share: number): void;
  /** Shows and stores a turn whose documents got vectors. */
  save(turn: Turn): Promise<void>;
}

/**
 * The passages that fit the last question of a branch, best first. Undefined: the model gets the whole documents,
 * because they are short, the user wants it, or no model can embed them.
 */
export async function findSources(
  path: readonly Turn[],
  { model, settings, host, signal, searching, save }: SourceSearch,
): Promise<Source[] | undefined> {
  const { embeddingModel: embedder } = host;
  if (embedder === undefined || settings.documents === 'whole') return undefined;
  const contextLength = settings.num_ctx ?? host.contextLength(model) ?? USUAL_CONTEXT;
  const documents = documentsOf(path);
  if (settings.documents !== 'passages' && documentsFit(documents, contextLength)) return undefined;
  searching(0);
  const embed: Embed = (texts) => host.api.embed(embedder, texts, signal);
  const queries = await embed(questionsOf(path));
  const size = queries[0]?.length ?? 0;
  const found: Source[] = [];
  const split = new Map(documents.map((document) => [document, passagesOf(document.text)]));
  const total = [...split.values()].reduce((sum, passages) => sum + passages.length, 0);
  let searched = 0;
  const done = (count: number) => {
    searched += count;
    searching(searched / total);
  };
  for (const turn of path) {
    if (!turn.documents?.length) continue;
    const indexed: DocumentText[] = [];
    for (const document of turn.documents) {
      const passages = split.get(document)!;
      const vectors = await vectorsOf(document, passages, { model: embedder, size, embed, done });
      indexed.push({ ...document, index: { model: embedder, vectors } });
      const scores = queries.map((query) => similarities(vectors, query));
      for (const [at, text] of passages.entries()) {
        const score = Math.max(...scores.map((row) => row[at] ?? 0));
        found.push({ document: document.name, text, score });
      }
    }
    const isNew = indexed.some(({ index }, at) => index?.vectors !== turn.documents![at]!.index?.vectors);
    if (isNew) await save({ ...turn, documents: indexed });
  }
  return bestOf(found, contextLength * MAX_SHARE);
}

/** The last question, and the same after the one before: it may only make sense there. */
function questionsOf(path: readonly Turn[]): string[] {
  const questions = path.filter(({ role, content }) => role === 'user' && content !== '');
  const [before, last] = [questions.at(-2)?.content, questions.at(-1)?.content];
  if (last === undefined) return documentsOf(path).map(({ name }) => name);
  return before === undefined ? [last] : [last, `${before}\n${last}`];
}

/** The most similar passages that have at most `maxTokens` together, but at least one. */
function bestOf(found: Source[], maxTokens: number): Source[] {
  const sorted = found.toSorted((a, b) => b.score - a.score);
  const best = sorted[0]?.score ?? 0;
  const chosen: Source[] = [];
  let tokens = 0;
  for (const source of sorted) {
    tokens += estimatedTokens(source.text);
    const fits = tokens <= maxTokens && source.score >= best * MIN_RELATIVE_SCORE;
    if (chosen.length > 0 && (!fits || chosen.length === MAX_SOURCES)) break;
    chosen.push(source);
  }
  return chosen;
}
