declare module 'omggif' {
  export interface GifFrame {
    x: number;
    y: number;
    width: number;
    height: number;
    transparent_index: number | null;
    disposal: number;
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
}
