import { NewerRecords, RecordsUnavailable, StorageFull } from '#core/host';
import { certificateRefusal } from '../../base/certificate-error.ts';

/** Codes of Node and of PostgreSQL (SQLSTATE) after which another attempt may succeed. */
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the socket file of a server that is stopped
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  '53300', // too many connections
  '57P01', // the server shuts down
  '57P02',
  '57P03', // the server starts up
]);

/** Messages of `pg` that carry no code. */
const LOST_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|timeout (expired|exceeded)|Query read timeout|Client was closed)/;

/** Whether the connection failed, so that the work may be repeated on another one. */
export function isConnectionLost(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return LOST_CODES.has(code) || code.startsWith('08') || LOST_MESSAGE.test(message);
}

/** Whether two transactions blocked each other: the server ended one of them, which may be repeated. */
export function isConflict(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return code === '40P01' || code === '40001';
}

const REFUSALS: Record<string, string> = {
  '28P01': 'it refused the password',
  '28000': 'it refused the user',
  '3D000': 'it has no such database',
  '42501': 'the user has no permission to create or change the tables',
  '42P01': 'its tables are gone, so start tabd again',
  ENOTFOUND: 'no computer has this name',
};

/**
 * The error for a failed operation.
 * @param place the server and database, without the password
 */
export function recordsError(error: unknown, place: string): unknown {
  if (error instanceof NewerRecords || error instanceof RecordsUnavailable) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  if (code === '53100')
    return new StorageFull(`no space left for records: free some space on the disk of ${place}`, {
      cause: error,
    });
  const refusal =
    REFUSALS[code] ??
    certificateRefusal(error, 'sslrootcert') ??
    (isConnectionLost(error) ? `it does not answer (${message || code})` : undefined);
  return refusal
    ? new RecordsUnavailable(`the database ${place} cannot be used: ${refusal}`, { cause: error })
    : error;
}
