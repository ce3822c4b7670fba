/** Failures of Postgres with the next step. */
import { errorMessage } from '#core/base';
import { NodeError } from '../../../node-api/node-error.ts';

/** Advice by the code of the error, and by words of its message where a code has several causes. */
const ADVICE: { code: RegExp; words?: RegExp; advice: string }[] = [
  {
    code: /^(0A000|58P01|42704)$/,
    words: /vector/,
    advice: 'Install pgvector on the database server, then run CREATE EXTENSION vector in the database.',
  },
  {
    code: /^42501$/,
    words: /extension/,
    advice: 'An administrator of the database must run CREATE EXTENSION vector once.',
  },
  { code: /^42501$/, advice: 'Give the user of the credential rights to the table, or name another one.' },
  {
    code: /^22/,
    words: /dimensions/,
    advice: 'Connect the embedding model that filled the table, or name another table.',
  },
  { code: /^42703$/, advice: 'Check the names of the columns in the options of the node.' },
  { code: /^3F000$/, advice: 'Check the schema before the name of the table.' },
  { code: /^(28|3D000)/, advice: 'Check the user, the password and the database of the credential.' },
  {
    code: /^(ECONN|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EAI_AGAIN|57P)/,
    advice: 'Check the host and the port of the credential, and whether the server runs.',
  },
];

/** Runs work of the client. @throws NodeError with the words of the server and the next step, where one is known */
export async function withAdvice<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw error;
    throw advised(error);
  }
}

function advised(error: unknown): unknown {
  if (error instanceof NodeError && (error.description || error.cause === undefined)) return error;
  const source = error instanceof NodeError ? error.cause : error;
  const { code, detail, hint } = source as { code?: string; detail?: string; hint?: string };
  const message = errorMessage(error);
  const row = ADVICE.find(
    ({ code: codes, words }) => codes.test(code ?? '') && (words?.test(message) ?? true),
  );
  const lost = code === undefined && /terminat|closed|ended/i.test(message);
  const advice = row?.advice ?? (lost ? 'The connection was lost: run the workflow again.' : undefined);
  const description = [detail, hint, advice].filter(Boolean).join(' ');
  return new NodeError(message, {
    name: 'NodeApiError',
    ...(description && { description }),
    cause: source,
  });
}
