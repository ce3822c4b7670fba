/** Files of sound and moving pictures: browsers have their coders built in, elsewhere a program of the machine has them. */

export interface MediaCodecs {
  /** Looks into a file. Rejects with `MediaUnreadable`, `MediaUnavailable` or the signal's reason. */
  open(file: Uint8Array, signal: AbortSignal): Promise<MediaFile>;
  /** A whole file. Rejects with `MediaUnavailable`, where nothing here can write such a one, or the signal's reason. */
  encodeVideo(video: VideoToEncode, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** A whole MP3 file; rejects as `encodeVideo`. */
  encodeMp3(sound: PcmAudio, options: Mp3Options, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

/** A file that is being read; `close` lets go of what that takes. */
export interface MediaFile {
  /** Undefined: it has no pictures. */
  readonly video?: VideoTrack;
  readonly hasAudio: boolean;
  /** Every picture in turn. What `take` throws ends it. Rejects as `open`. */
  readFrames(take: (frame: DecodedFrame) => void, signal: AbortSignal): Promise<void>;
  /** Its sound, of at most so many numbers in all channels together: what is longer is a `MediaUnreadable`. */
  readAudio(most: number, signal: AbortSignal): Promise<PcmAudio>;
  /** The same pictures and sound, as they are, in an MP4 file with these texts; sound that such a file does not hold is encoded anew. */
  asMp4(texts: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export interface VideoTrack {
  /** As it is shown: turned as the file says. */
  readonly width: number;
  readonly height: number;
  /** On average. */
  readonly framesPerSecond: number;
  /** `h264`, `hevc`, `vp8`, `vp9`, `av1`, or another name. */
  readonly codec: string;
}

export interface DecodedFrame {
  readonly width: number;
  readonly height: number;
  /** Numbers of a pixel; of four the last is not looked at. */
  readonly channels: 3 | 4;
  /** Row by row; whoever takes the picture may keep it. */
  readonly data: Uint8Array | Uint8ClampedArray;
}

export interface PcmAudio {
  readonly sampleRate: number;
  /** One array a channel, -1 to 1. */
  readonly channels: readonly Float32Array[];
}

export type VideoCodec = 'h264' | 'vp9' | 'av1';

export interface VideoToEncode {
  readonly container: 'mp4' | 'webm';
  /** The first of them that can be written here. */
  readonly codecs: readonly VideoCodec[];
  readonly width: number;
  readonly height: number;
  /** In thousandths: 29970 is 29.97 pictures a second. */
  readonly milliFramesPerSecond: number;
  readonly frames: number;
  /** A picture as [height, width, 4], the fourth of no meaning. Called in order; only good until the next call. */
  frame(index: number): Uint8Array<ArrayBuffer>;
  readonly audio?: PcmAudio;
  /** From 0, the best, to 63. Without it the usual quality of the codec. */
  readonly quantizer?: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Mp3Options {
  /** Bits a second, or `best`: as many as the sound asks for. */
  readonly bitrate: number | 'best';
  readonly metadata: Readonly<Record<string, string>>;
}

/** The bytes are no file that can be read here; the message says why. */
export class MediaUnreadable extends Error {
  override name = 'MediaUnreadable';
}

/** Nothing here reads or writes such files; the message says what would. */
export class MediaUnavailable extends Error {
  override name = 'MediaUnavailable';
}
