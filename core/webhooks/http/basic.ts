import { toBase64 } from '../sandbox/thread/host-functions.ts';

/** The `Authorization` header of a name and a password. */
export function basic(user: string, password: string): string {
  return `Basic ${toBase64(new TextEncoder().encode(`${user}:${password}`))}`;
}
