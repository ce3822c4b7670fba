import { FrameError } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import { isFrame } from './is-frame.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * A frame as one binary message: four bytes (big-endian) with the length of the header, the header, then the frame's
 * bytes. The header is the frame as JSON without its bytes; its field `binary` names the field that they belong to.
 * @throws FrameError for a `blob` frame
 */
export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const { fields, bytes } = splitFrame(frame);
  const header = encoder.encode(JSON.stringify(fields));
  const message = new Uint8Array(4 + header.length + (bytes?.length ?? 0));
  new DataView(message.buffer).setUint32(0, header.length);
  message.set(header, 4);
  if (bytes) message.set(bytes, 4 + header.length);
  return message;
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
    fields = JSON.parse(decoder.decode(message.subarray(4, 4 + length)));
  } catch (cause) {
    throw new FrameError('the header of a frame is no JSON', { cause });
  }
  const frame = joinFrame(Object(fields), message.subarray(4 + length));
  if (!isFrame(frame) || frame.type === 'blob') throw new FrameError('a message is no frame');
  return frame;
}

/** Puts the bytes into their field. The most frequent frame, `chunk`, does without a spread: it is slow. */
function joinFrame(fields: { type?: unknown; id?: unknown; binary?: unknown }, bytes: Uint8Array): unknown {
  if (fields.type === 'chunk' && fields.binary === 'bytes') return { type: 'chunk', id: fields.id, bytes };
  const { binary, ...frame } = fields;
  return binary === 'bytes' || binary === 'data' ? { ...frame, [binary]: bytes } : frame;
}

/** The part of a frame that is JSON, and the bytes that are not. */
function splitFrame(frame: Frame): { fields: object; bytes?: Uint8Array } {
  if (frame.type === 'blob') throw new FrameError('a Blob cannot be sent over a socket');
  if (frame.type === 'chunk') {
    const { type, id, bytes } = frame;
    return { fields: { type, id, binary: 'bytes' }, bytes };
  }
  if (frame.type === 'message' && typeof frame.data !== 'string') {
    const { data, ...fields } = frame;
    return { fields: { ...fields, binary: 'data' }, bytes: data };
  }
  return { fields: frame };
}
