/** Reading and writing of media files, loaded when the first one is read or written. */
export { encodeAac } from './encode-aac.ts';
export { encodeVideo } from './encode-video.ts';
export { openMedia } from './open-media.ts';
