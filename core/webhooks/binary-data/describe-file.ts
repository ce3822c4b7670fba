/** What is said of a file beside its bytes. */
import type { Binary } from '#core/workflow-format';
import types from './mime-types.json' with { type: 'json' };

const byExtension = types as Record<string, string>;
const DEFAULT_TYPE = 'application/octet-stream';

export function describeFile(
  size: number,
  given: { fileName?: string; mimeType?: string },
): Omit<Binary, 'data'> {
  const mimeType = given.mimeType || typeOfName(given.fileName) || DEFAULT_TYPE;
  const kind = fileKind(mimeType);
  const extension = extensionOf(given.fileName) || extensionOfType(mimeType);
  return {
    mimeType,
    ...(kind && { fileType: kind }),
    ...(extension && { fileExtension: extension }),
    ...(given.fileName && { fileName: given.fileName }),
    fileSize: sizeText(size),
    bytes: size,
  };
}

export function typeOfName(fileName: string | undefined): string | undefined {
  return byExtension[extensionOf(fileName).toLowerCase()];
}

function extensionOf(fileName: string | undefined): string {
  return /[^/\\]\.([A-Za-z0-9]{1,10})$/.exec(fileName ?? '')?.[1] ?? '';
}

export function extensionOfType(mimeType: string): string | undefined {
  const plain = mimeType.split(';')[0]!.trim().toLowerCase();
  return Object.keys(byExtension).find((extension) => byExtension[extension] === plain);
}

function fileKind(mimeType: string): Binary['fileType'] {
  const plain = mimeType.split(';')[0]!.trim().toLowerCase();
  if (plain === 'application/json') return 'json';
  if (plain === 'text/html') return 'html';
  if (plain === 'application/pdf') return 'pdf';
  const kind = plain.split('/')[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' || kind === 'text' ? kind : undefined;
}

/** `12 B`, `2.37 kB`, `17 kB`: three digits. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${units[unit]}`;
}
