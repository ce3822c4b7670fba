/** Responses with these statuses have no body, and constructing one with a body throws. */
export function nullBody(status: number): boolean {
  return status === 101 || status === 103 || status === 204 || status === 205 || status === 304;
}
