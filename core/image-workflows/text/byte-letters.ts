/** A letter for each byte, as in GPT-2: printable bytes stand for themselves, the others for letters from U+0100. */
export function lettersOfBytes(): string[] {
  const isPrintable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPrintable(byte) ? byte : 0x100 + others++),
  );
}
