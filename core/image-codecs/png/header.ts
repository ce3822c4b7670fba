import { checkSize, ImageUnreadable } from '../pixels.ts';

/** The chunk IHDR. */
export interface PngHeader {
  width: number;
  height: number;
  /** Bits in a sample. */
  depth: 1 | 2 | 4 | 8 | 16;
  kind: 'gray' | 'rgb' | 'palette' | 'gray-alpha' | 'rgba';
  /** Samples in a pixel. */
  samples: number;
  isInterlaced: boolean;
}

/** The color types (PNG, third edition, section 11.2). */
const COLOR_TYPES: Record<number, { kind: PngHeader['kind']; samples: number; depths: number[] }> = {
  0: { kind: 'gray', samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { kind: 'rgb', samples: 3, depths: [8, 16] },
  3: { kind: 'palette', samples: 1, depths: [1, 2, 4, 8] },
  4: { kind: 'gray-alpha', samples: 2, depths: [8, 16] },
  6: { kind: 'rgba', samples: 4, depths: [8, 16] },
};

/** @throws `ImageUnreadable` */
export function readHeader(data: Uint8Array): PngHeader {
  if (data.length !== 13) throw new ImageUnreadable('the header of the PNG file is damaged');
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const width = view.getUint32(0);
  const height = view.getUint32(4);
  const [depth = 0, color = 0, compression = 0, filter = 0, interlace = 0] = data.subarray(8);
  const kind = COLOR_TYPES[color];
  if (!kind?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw new ImageUnreadable(
      `the PNG file has a form that does not exist (color type ${color}, ${depth} bits, interlace ${interlace})`,
    );
  checkSize('PNG', width, height);
  return {
    width,
    height,
    depth: depth as PngHeader['depth'],
    kind: kind.kind,
    samples: kind.samples,
    isInterlaced: interlace === 1,
  };
}
