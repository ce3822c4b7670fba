/** Whether two texts are equal; takes the same time however much of them is. Only the length can be told from it. */
export function timingSafeEqual(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ (expected.charCodeAt(at % (expected.length || 1)) || 0);
  }
  return difference === 0;
}
