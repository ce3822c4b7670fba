/** A file of the item, for the body of a request. */
export class FileValue {
  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly mimeType: string,
    readonly fileName: string | undefined,
  ) {}
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}
