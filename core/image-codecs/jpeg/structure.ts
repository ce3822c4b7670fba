import { readOrientation } from '../exif.ts';
import { checkSize, ImageUnreadable, MAX_PIXELS } from '../pixels.ts';

/** The facts that a JPEG file's markers state, without its pixels. */
export interface JpegStructure {
  width: number;
  height: number;
  /** Color channels. */
  components: number;
  /** EXIF orientation, 1 to 8. */
  orientation: number;
}

/** Pixels that all scans together may cover: each scan costs the decoder time. */
const MAX_WORK = MAX_PIXELS * 16;

/**
 * Reads the markers of a JPEG file (ITU-T T.81, annex B) to its end, so that truncated files are noticed.
 * @throws `ImageUnreadable`
 */
export function readJpegStructure(bytes: Uint8Array): JpegStructure {
  const structure: JpegStructure = { width: 0, height: 0, components: 0, orientation: 1 };
  let scans = 0;
  let at = 2;
  for (;;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++;
    const marker = bytes[at + 1];
    if (marker === undefined) throw new ImageUnreadable('the JPEG file ends too early: it is cut off');
    if (bytes[at] !== 0xff) throw new ImageUnreadable('the JPEG file is damaged');
    at += 2;
    if (marker === 0xd9) break;
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    const body = bytes.subarray(at + 2, at + length);
    if (length < 2 || at + length > bytes.length)
      throw new ImageUnreadable('the JPEG file ends too early: it is cut off');
    at += length;
    if (isFrame(marker)) readFrame(body, structure);
    else if (marker === 0xe1 && isExif(body)) structure.orientation = readOrientation(body.subarray(6));
    else if (marker === 0xda) {
      scans++;
      if (scans * structure.width * structure.height > MAX_WORK)
        throw new ImageUnreadable(
          `the JPEG file has ${scans} or more passes over its pixels: that is too many`,
        );
      at = endOfScan(bytes, at);
    }
  }
  if (structure.width === 0 || scans === 0) throw new ImageUnreadable('the JPEG file holds no pixels');
  return structure;
}

/** Start of frame: C0 to CF, except DHT, JPG and DAC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const isExif = (body: Uint8Array): boolean => String.fromCharCode(...body.subarray(0, 6)) === 'Exif\0\0';

function readFrame(body: Uint8Array, structure: JpegStructure): void {
  if (body.length < 6 || structure.width > 0) throw new ImageUnreadable('the JPEG file is damaged');
  structure.height = (body[1]! << 8) | body[2]!;
  structure.width = (body[3]! << 8) | body[4]!;
  structure.components = body[5]!;
  checkSize('JPEG', structure.width, structure.height);
}

/** The index of the first marker after the compressed pixels. A stuffed FF and a restart marker belong to them. */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw new ImageUnreadable('the JPEG file ends in the middle of its pixels: it is cut off');
}
