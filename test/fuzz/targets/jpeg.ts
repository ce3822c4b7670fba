/** The markers of JPEG files, and EXIF data. */
import { ImageUnreadable } from '#core/image-codecs';
import { readOrientation, writeExif } from '#core/image-codecs/exif.ts';
import { readJpegStructure } from '#core/image-codecs/jpeg/structure.ts';
import { check, fuzzTarget } from '../target.ts';

const FRAME = [0xff, 0xc0, 0, 17, 8, 0, 16, 0, 16, 3, 1, 34, 0, 2, 17, 1, 3, 17, 1];
const SCAN = [0xff, 0xda, 0, 12, 3, 1, 0, 2, 17, 3, 17, 0, 63, 0, 1, 2, 0xff, 0, 0xff, 0xd0, 3];

export default fuzzTarget({
  invariant: 'the size is positive, and the orientation 1 to 8',
  seeds() {
    const exif = [...new TextEncoder().encode('Exif\0\0'), ...writeExif(new Map([[0x010f, 'x']]))];
    const app1 = [0xff, 0xe1, 0, exif.length + 2, ...exif];
    return [Uint8Array.from([0xff, 0xd8, ...app1, ...FRAME, ...SCAN, 0xff, 0xd9])];
  },
  refusals: [ImageUnreadable],
  run(input) {
    check(readOrientation(input) >= 1, 'the orientation is 1 to 8');
    const { width, height, orientation } = readJpegStructure(input);
    check(width > 0 && height > 0, 'the size is positive');
    check(orientation >= 1 && orientation <= 8, 'the orientation is 1 to 8');
  },
});
