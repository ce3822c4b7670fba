export type { BodySource } from './body-sender.ts';
export type { FrameChannel } from './channel.ts';
export { FrameClient, type OutgoingRequest } from './client.ts';
export { asError, FrameError, NotAccepted, PeerLost, VersionMismatch } from './errors.ts';
export type { FrameSocket } from './frame-socket.ts';
export type { HeaderList } from './grammar.ts';
export { portChannel } from './port-channel.ts';
export { FrameServer } from './server.ts';
export { type SocketLike, socketChannel } from './socket-channel.ts';
