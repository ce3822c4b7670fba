/** Video files, and audio files in formats other than WAV, FLAC and Opus. A browser decodes them itself; Node uses ffmpeg. */

/** Reads and writes videos and compressed audio. */
export interface MediaCodecs {
  /**
   * Opens a file for reading. The caller closes it.
   * Rejects with `MediaUnreadable`, `MediaUnavailable` or the signal's reason.
   */
  open(file: Uint8Array, signal: AbortSignal): Promise<MediaFile>;
  /** The bytes of a video file. Rejects with `MediaUnavailable` where no codec can write it, or the signal's reason. */
  encodeVideo(video: VideoToEncode, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes of an MP3 file. Rejects as `encodeVideo` does. */
  encodeMp3(audio: PcmAudio, options: Mp3Options, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Audio as AAC in a stream of frames (ADTS), whose parts can be joined. Rejects as `encodeVideo` does.
   * @param bitrate bits a second
   */
  encodeAac(audio: PcmAudio, bitrate: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

/** An open file. Its methods reject as `MediaCodecs.open` does. */
export interface MediaFile {
  /** Undefined: the file has no video track. */
  readonly video?: VideoTrack;
  readonly hasAudio: boolean;
  /** Hands every frame to `take`, in order. An error that `take` throws ends the reading and rejects the promise. */
  readFrames(onFrame: (frame: DecodedFrame) => void, signal: AbortSignal): Promise<void>;
  /**
   * Decodes the first audio track.
   * @param maxSamples samples in all channels together; a longer track rejects with `MediaUnreadable`
   * @param monoRate samples a second of one channel, the mean of all, which is returned. Default: as the file has them
   */
  readAudio(maxSamples: number, signal: AbortSignal, monoRate?: number): Promise<PcmAudio>;
  /**
   * The same video and audio in an MP4 file, without encoding the frames again. Audio that MP4 cannot hold is encoded.
   * @param metadata tags of the new file
   */
  asMp4(metadata: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Frees the decoders and temporary files. */
  close(): Promise<void>;
}

/** The video track of a file. */
export interface VideoTrack {
  /** Pixels as shown: after the rotation that the file asks for. */
  readonly width: number;
  readonly height: number;
  /** The average of the track. */
  readonly framesPerSecond: number;
  /** `h264`, `hevc`, `vp8`, `vp9`, `av1`, or another name. */
  readonly codec: string;
}

/** A frame of a video, as pixels. */
export interface DecodedFrame {
  readonly width: number;
  readonly height: number;
  /** Bytes of a pixel: RGB, or RGB and a byte without meaning. */
  readonly channels: 3 | 4;
  /** Row by row. The receiver may keep this memory. */
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** Decoded audio. */
export interface PcmAudio {
  /** Samples a second. */
  readonly sampleRate: number;
  /** One array a channel, values from -1 to 1. */
  readonly channels: readonly Float32Array[];
}

/** A codec in which videos can be written. */
export type VideoCodec = 'h264' | 'vp9' | 'av1';

/** A video to write. */
export interface VideoToEncode {
  readonly container: 'mp4' | 'webm';
  /** In order of preference: the first one that this platform can write is used. */
  readonly codecs: readonly VideoCodec[];
  readonly width: number;
  readonly height: number;
  /** Thousandths of frames a second: 29970 is 29.97 frames a second. */
  readonly milliFramesPerSecond: number;
  /** How many frames there are. */
  readonly frames: number;
  /** A frame as [height, width, 4], the fourth byte without meaning. Called in order; the array is valid until the next call. */
  frame(index: number): Uint8Array<ArrayBuffer>;
  readonly audio?: PcmAudio;
  /** From 0, the best, to 63. Undefined: the codec's default quality. */
  readonly quantizer?: number;
  /** The tags of the file, such as title and artist, by name. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** How an MP3 file is written. */
export interface Mp3Options {
  /** Bits a second, or `best`: a variable rate of the highest quality. */
  readonly bitrate: number | 'best';
  /** The tags of the file, such as title and artist, by name. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Without tags and a head with the length of the file, so that parts can be joined. */
  readonly isPart?: boolean;
}

/** The bytes are no media file that this platform can read. The message says why. */
export class MediaUnreadable extends Error {
  override name = 'MediaUnreadable';
}

/** This platform has no codec for the file. The message says how to get one. */
export class MediaUnavailable extends Error {
  override name = 'MediaUnavailable';
}
