/** Describes files: type, kind and readable size. */
import type { Binary } from '#core/workflow-format';
import type { FileOptions } from '../node-api/node-context.ts';
import types from './mime-types.json' with { type: 'json' };

const typeByExtension = types as Record<string, string>;
const DEFAULT_TYPE = 'application/octet-stream';

/** @param size bytes */
export function describeFile(size: number, options: FileOptions): Omit<Binary, 'data'> {
  const mimeType = options.mimeType || typeOfName(options.fileName) || DEFAULT_TYPE;
  const kind = fileKind(mimeType);
  const extension = extensionOf(options.fileName) || extensionOfType(mimeType);
  return {
    mimeType,
    ...(kind && { fileType: kind }),
    ...(extension && { fileExtension: extension }),
    ...(options.fileName && { fileName: options.fileName }),
    fileSize: sizeText(size),
    bytes: size,
  };
}

/** The media type by the extension of a file name. */
function typeOfName(fileName: string | undefined): string | undefined {
  return typeByExtension[extensionOf(fileName).toLowerCase()];
}

function extensionOf(fileName: string | undefined): string {
  return /[^/\\]\.([A-Za-z0-9]{1,10})$/.exec(fileName ?? '')?.[1] ?? '';
}

/** The usual extension of a media type, without a dot. */
function extensionOfType(mimeType: string): string | undefined {
  const type = withoutParameters(mimeType);
  return Object.keys(typeByExtension).find((extension) => typeByExtension[extension] === type);
}

function fileKind(mimeType: string): Binary['fileType'] {
  const type = withoutParameters(mimeType);
  if (type === 'application/json') return 'json';
  if (type === 'text/html') return 'html';
  if (type === 'application/pdf') return 'pdf';
  const [kind] = type.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' || kind === 'text' ? kind : undefined;
}

function withoutParameters(mimeType: string): string {
  return mimeType.split(';')[0]!.trim().toLowerCase();
}

/** A size with three digits: `12 B`, `2.37 kB`, `17 kB`. */
function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${units[unit]}`;
}
