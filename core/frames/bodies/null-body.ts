/** Whether a status forbids a body (Fetch standard, "null body status"): `new Response` with a body would throw. */
export function isNullBodyStatus(status: number): boolean {
  return status === 101 || status === 103 || status === 204 || status === 205 || status === 304;
}
