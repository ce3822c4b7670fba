/** CRC of the bytes from `start` to before `end`, with x^8 + x^2 + x + 1. FLAC uses it for frame headers. */
export function crc8(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) sum = TABLE_8[sum ^ bytes[at]!]!;
  return sum;
}

/** CRC of the bytes from `start` to before `end`, with x^16 + x^15 + x^2 + 1. FLAC uses it for complete frames. */
export function crc16(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) sum = ((sum << 8) & 0xffff) ^ TABLE_16[(sum >> 8) ^ bytes[at]!]!;
  return sum;
}

const TABLE_8 = table(8, 0x07);
const TABLE_16 = table(16, 0x8005);

function table(bits: number, polynomial: number): Uint16Array {
  const top = 1 << (bits - 1);
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let sum = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum & top ? polynomial : 0)) & (2 * top - 1);
    return sum;
  });
}
