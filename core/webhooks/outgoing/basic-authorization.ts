import { encodeBase64 } from '#core/http';

/** The `Authorization` header for a user and a password (RFC 7617, in UTF-8). */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${encodeBase64(new TextEncoder().encode(`${user}:${password}`))}`;
}
