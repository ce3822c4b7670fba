declare module 'omggif' {
  export interface GifFrame {
    x: number;
    y: number;
    width: number;
    height: number;
    transparent_index: number | null;
    disposal: number;
    /** The position of the code size before the compressed pixels. */
    data_offset: number;
  }
  export class GifReader {
    constructor(bytes: Uint8Array);
    readonly width: number;
    readonly height: number;
    numFrames(): number;
    frameInfo(frame: number): GifFrame;
    /** Draws into the RGBA pixels of the canvas. Transparent pixels leave it as it is. */
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void;
  }
  /** For tests. */
  export class GifWriter {
    constructor(
      bytes: Uint8Array,
      width: number,
      height: number,
      options: { palette: number[]; loop?: number },
    );
    addFrame(
      x: number,
      y: number,
      width: number,
      height: number,
      indices: number[],
      options?: { delay?: number; transparent?: number; disposal?: number },
    ): void;
    /** The number of bytes. */
    end(): number;
  }
}
