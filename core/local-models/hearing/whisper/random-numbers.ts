/** Numbers from 0 to 1 that look random, and are the same in each run: a generator after Steele and others, 2014. */
export function randomNumbers(): () => number {
  let state = 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
}
