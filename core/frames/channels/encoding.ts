import { concatBytes } from '#core/base';
import { FrameError } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import { isFrame } from './is-frame.ts';

/**
 * A frame as one binary message: four bytes (big-endian) with the length of the header, the header, then the frame's
 * bytes. The header is the frame as JSON without its bytes; its field `binary` names the field that they belong to.
 * @throws FrameError for a `blob` frame
 */
export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const { fields, bytes } = splitFrame(frame);
  const header = new TextEncoder().encode(JSON.stringify(fields));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, header.length);
  return concatBytes(bytes ? [length, header, bytes] : [length, header]);
}

/**
 * The frame in a binary message. Its bytes are a view of the message.
 * @throws FrameError when the message is no frame
 */
export function decodeFrame(message: Uint8Array<ArrayBuffer>): Frame {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const length = message.byteLength >= 4 ? view.getUint32(0) : Number.NaN;
  if (!(4 + length <= message.byteLength)) throw new FrameError('a frame is shorter than its header says');
  let fields: unknown;
  try {
    fields = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(message.subarray(4, 4 + length)));
  } catch (cause) {
    throw new FrameError('the header of a frame is no JSON', { cause });
  }
  const { binary, ...frame } = Object(fields) as { binary?: string };
  if (binary === 'bytes' || binary === 'data')
    Object.assign(frame, { [binary]: message.subarray(4 + length) });
  if (!isFrame(frame) || frame.type === 'blob') throw new FrameError('a message is no frame');
  return frame;
}

/** The part of a frame that is JSON, and the bytes that are not. */
function splitFrame(frame: Frame): { fields: object; bytes?: Uint8Array } {
  if (frame.type === 'blob') throw new FrameError('a Blob cannot be sent over a socket');
  if (frame.type === 'chunk') {
    const { bytes, ...fields } = frame;
    return { fields: { ...fields, binary: 'bytes' }, bytes };
  }
  if (frame.type === 'message' && typeof frame.data !== 'string') {
    const { data, ...fields } = frame;
    return { fields: { ...fields, binary: 'data' }, bytes: data };
  }
  return { fields: frame };
}
