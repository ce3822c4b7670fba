import { encodeBase64 } from '#core/http';

/** The `Authorization` header of a name and a password. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${encodeBase64(new TextEncoder().encode(`${user}:${password}`))}`;
}
